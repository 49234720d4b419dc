vim.lsp.config('vramlens', {
  cmd = { 'vramlens', 'server' },
  filetypes = { 'python' },
  root_markers = { 'vramlens.toml', 'pyproject.toml', '.git' },
})
vim.lsp.enable('vramlens')
