-- vramlens for Neovim 0.11 and later: put this file at lsp/vramlens.lua anywhere on the runtimepath,
-- for example in ~/.config/nvim, and call vim.lsp.enable('vramlens').
return {
  cmd = { 'vramlens', 'server' },
  filetypes = { 'python' },
  root_markers = { 'vramlens.toml', 'pyproject.toml', '.git' },
}
