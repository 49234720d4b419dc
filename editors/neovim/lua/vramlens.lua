-- vramlens for any Neovim from 0.7 on: require('vramlens').setup().
-- The values themselves stand in lsp/vramlens.lua beside this folder, and nowhere else.
local M = {}

local folder = vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h:h')
local config = dofile(folder .. '/lsp/vramlens.lua')

-- The nearest folder at or above `path` that holds one of the root markers; nil when none does.
local function find_root(path)
  local current = vim.fn.fnamemodify(path, ':p:h')
  while true do
    for _, marker in ipairs(config.root_markers) do
      if (vim.uv or vim.loop).fs_stat(current .. '/' .. marker) then
        return current
      end
    end
    local parent = vim.fn.fnamemodify(current, ':h')
    if parent == current then
      return nil
    end
    current = parent
  end
end

-- The table that nvim-lspconfig's configs take.
M.default_config = {
  cmd = config.cmd,
  filetypes = config.filetypes,
  root_dir = find_root,
  single_file_support = true,
}

-- Clients by root folder, for Neovim 0.7, which does not look for one that already runs.
local clients = {}

local function attach(options, buffer)
  local path = vim.api.nvim_buf_get_name(buffer)
  if vim.bo[buffer].buftype ~= '' or path == '' then
    return
  end
  local start = vim.tbl_extend('force', { name = 'vramlens' }, options)
  start.root_dir = options.root_dir(path)
  if vim.lsp.start then
    vim.lsp.start(start, { bufnr = buffer })
    return
  end
  local key = start.root_dir or ''
  if not (clients[key] and vim.lsp.get_client_by_id(clients[key])) then
    clients[key] = vim.lsp.start_client(start)
  end
  vim.lsp.buf_attach_client(buffer, clients[key])
end

-- Starts the server for every matching buffer. `overrides` may hold any field of the client's
-- configuration, such as `cmd` or `init_options`.
function M.setup(overrides)
  if vim.lsp.enable then
    vim.lsp.config('vramlens', vim.tbl_extend('force', config, overrides or {}))
    vim.lsp.enable('vramlens')
    return
  end
  local options = vim.tbl_extend('force', M.default_config, overrides or {})
  vim.api.nvim_create_autocmd('FileType', {
    pattern = options.filetypes,
    callback = function(event)
      attach(options, event.buf)
    end,
  })
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(buffer) and vim.tbl_contains(options.filetypes, vim.bo[buffer].filetype) then
      attach(options, buffer)
    end
  end
end

return M
