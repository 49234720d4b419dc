vim.lsp.enable('vramlens')
