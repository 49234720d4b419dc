-- What a user does, in any Neovim from 0.7 on; run with `nvim --headless -c 'luafile scenario.lua'`.
-- The environment says what to do; what was seen goes to $SCENARIO_REPORT as one JSON object:
--   SCENARIO_FILE   the script to open, fix and write
--   SCENARIO_OTHER  a second script of the same project, opened afterwards
--   SCENARIO_CODE   the code of the finding to look for, and
--   SCENARIO_LINE   its line in both scripts, from 1
--   SCENARIO_LOAD   a script that loads a model, to hover over
--   SCENARIO_NAME   the model's name in it
--   SCENARIO_LEAVE  "stop" to stop the server before leaving, "quit" to simply leave
local LIMIT_MS = 60000
local report = {}

local function leave(ok)
  local file = assert(io.open(vim.env.SCENARIO_REPORT, 'w'))
  file:write(vim.fn.json_encode(report))
  file:close()
  vim.cmd(ok and 'qall!' or 'cquit 1')
end

local function wait(what, holds)
  if not vim.wait(LIMIT_MS, holds, 10) then
    error('gave up waiting for ' .. what, 0)
  end
end

local function clients()
  return (vim.lsp.get_clients or vim.lsp.get_active_clients)()
end

local function findings(buffer)
  return vim.tbl_filter(function(diagnostic)
    return diagnostic.code == vim.env.SCENARIO_CODE and diagnostic.lnum + 1 == tonumber(vim.env.SCENARIO_LINE)
  end, vim.diagnostic.get(buffer))
end

local function lines(buffer)
  return table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), '\n') .. '\n'
end

-- Opens the menu of code actions at the cursor as the user's key does, and takes the first entry.
local function take_first_action(buffer)
  vim.ui.select = function(items, options, choose)
    report.menu = vim.tbl_map(options.format_item, items)
    choose(items[1], 1)
  end
  local before = lines(buffer)
  vim.lsp.buf.code_action()
  wait('the fix in the buffer', function()
    return lines(buffer) ~= before
  end)
  report.fixed = lines(buffer)
end

-- Rests on the first place where `words` stand, as the user's key for it does; returns what the window shows.
local function hover_over(words)
  vim.fn.search('\\V' .. words, 'w')
  vim.lsp.buf.hover()
  local shown
  wait('the hover', function()
    for _, window in ipairs(vim.api.nvim_list_wins()) do
      if vim.api.nvim_win_get_config(window).relative ~= '' then
        shown = lines(vim.api.nvim_win_get_buf(window))
      end
    end
    return shown
  end)
  return shown
end

local function scenario()
  vim.cmd('edit ' .. vim.fn.fnameescape(vim.env.SCENARIO_FILE))
  local buffer = vim.api.nvim_get_current_buf()
  wait('a client', function()
    return clients()[1] and clients()[1].initialized
  end)
  wait('the finding', function()
    return #findings(buffer) > 0
  end)
  report.encoding = clients()[1].offset_encoding
  report.found = vim.tbl_map(function(diagnostic)
    return { severity = diagnostic.severity, source = diagnostic.source }
  end, findings(buffer))

  local first = findings(buffer)[1]
  vim.api.nvim_win_set_cursor(0, { first.lnum + 1, first.col })
  take_first_action(buffer)
  vim.cmd('silent write')
  wait('the finding to leave', function()
    return #findings(buffer) == 0
  end)

  vim.cmd('edit ' .. vim.fn.fnameescape(vim.env.SCENARIO_OTHER))
  wait('the finding in the other script', function()
    return #findings(vim.api.nvim_get_current_buf()) > 0
  end)
  vim.cmd('edit ' .. vim.fn.fnameescape(vim.env.SCENARIO_LOAD))
  wait('the server in the script that loads', function()
    return vim.lsp.buf_is_attached(vim.api.nvim_get_current_buf(), clients()[1].id)
  end)
  report.hover = hover_over(vim.env.SCENARIO_NAME)
  report.clients = #clients()

  if vim.env.SCENARIO_LEAVE == 'stop' then
    vim.lsp.stop_client(clients())
    wait('the server to end', function()
      return #clients() == 0
    end)
  end
end

local ok, problem = pcall(scenario)
if not ok then
  report.problem = problem
  report.messages = vim.fn.execute('messages')
end
leave(ok)
