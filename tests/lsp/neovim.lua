-- SPDX-License-Identifier: Apache-2.0
-- Neovim as a client of `hidetc lsp`: neovim_test.py starts it. What it prints last is what came of it.
local hidetc, folder = vim.env.HIDETC, vim.env.FOLDER
local wait = 30000

local function check(condition, what)
  if not condition then
    error(what)
  end
  return condition
end

local function wait_for(what, condition)
  check(vim.wait(wait, condition, 10), "the server says nothing: " .. what)
end

local client -- the number of it
local function attach(path)
  vim.cmd("edit " .. path)
  local buffer = vim.api.nvim_get_current_buf()
  if vim.lsp.start then -- 0.8 and later
    client = vim.lsp.start({ name = "hidet", cmd = { hidetc, "lsp" }, root_dir = folder })
  else
    client = client or vim.lsp.start_client({ name = "hidet", cmd = { hidetc, "lsp" }, root_dir = folder })
    vim.lsp.buf_attach_client(buffer, client)
  end
  wait_for("it is initialized", function()
    local known = vim.lsp.get_client_by_id(client)
    return known and known.initialized
  end)
  return buffer
end

local function ask(buffer, method, params)
  local answers = check(vim.lsp.buf_request_sync(buffer, method, params, wait), method .. " has no answer")
  local answer = check(answers[client], method .. " has no answer of the server")
  check(not answer.err, method .. ": " .. vim.inspect(answer.err))
  return answer.result
end

local function place(buffer, row, column)
  return { textDocument = { uri = vim.uri_from_bufnr(buffer) }, position = { line = row, character = column } }
end

local function diagnostics()
  local buffer = attach(folder .. "/wrong.py")
  wait_for("diagnostics", function()
    return #vim.diagnostic.get(buffer) == 1
  end)
  check(vim.diagnostic.get(buffer)[1].message:find("'undefined'"), "the diagnostic is another one")
  vim.api.nvim_buf_set_lines(buffer, 1, 2, false, { "y = x" })
  wait_for("no diagnostics", function()
    return #vim.diagnostic.get(buffer) == 0
  end)
end

local function formatting()
  local buffer = attach(folder .. "/spaces.py")
  local edits = ask(buffer, "textDocument/formatting", vim.lsp.util.make_formatting_params())
  vim.lsp.util.apply_text_edits(edits, buffer, vim.lsp.get_client_by_id(client).offset_encoding)
  local text = table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), "\n")
  check(text == "x = [1, 2]\nif x:\n    y = x", "formatted: " .. text)
end

local function completion_and_rename()
  local buffer = attach(folder .. "/names.py")
  local items = ask(buffer, "textDocument/completion", place(buffer, 1, 3)).items
  check(items[1].label == "long_name", "the first candidate is " .. items[1].label)
  local params = place(buffer, 0, 1)
  params.newName = "short"
  vim.lsp.util.apply_workspace_edit(ask(buffer, "textDocument/rename", params), "utf-16")
  check(vim.api.nvim_buf_get_lines(buffer, 0, 1, false)[1] == "short = 1", "nothing was renamed")
end

-- What hover shows of a docstring is the text that the server has.
local function docstring(buffer)
  local last = vim.api.nvim_buf_line_count(buffer) - 1
  return ask(buffer, "textDocument/hover", place(buffer, last, 0)).contents.value
end

local function random_edits()
  local head, tail = { "def f():", '    """first' }, { 'last"""', "    pass", "", "f" }
  local edited = attach(folder .. "/edited.py")
  vim.api.nvim_buf_set_lines(edited, 0, -1, false, vim.list_extend(vim.deepcopy(head), tail))
  local pieces = { "a", "bc", "\195\169", "\240\157\149\143", "\t", "  ", "e\204\129", "word" }
  math.randomseed(7)
  for _ = 1, 300 do
    local row = math.random(#head, vim.api.nvim_buf_line_count(edited) - #tail)
    if row == vim.api.nvim_buf_line_count(edited) - #tail then
      vim.api.nvim_buf_set_lines(edited, row, row, false, { pieces[math.random(#pieces)] })
    elseif math.random(10) == 1 then
      vim.api.nvim_buf_set_lines(edited, row, row + 1, false, {})
    else
      local line = vim.api.nvim_buf_get_lines(edited, row, row + 1, false)[1]
      local column = vim.str_byteindex(line, math.random(0, vim.str_utfindex(line)))
      vim.api.nvim_buf_set_text(edited, row, column, row, column, { pieces[math.random(#pieces)], pieces[math.random(#pieces)] })
    end
  end
  local whole = attach(folder .. "/whole.py")
  vim.api.nvim_buf_set_lines(whole, 0, -1, false, vim.api.nvim_buf_get_lines(edited, 0, -1, false))
  check(docstring(edited) == docstring(whole), "after edits the server has another text")
end

local ok, why = pcall(function()
  diagnostics()
  formatting()
  completion_and_rename()
  random_edits()
end)
vim.fn.writefile({ ok and "fine" or tostring(why), tostring(vim.version().major) .. "." .. tostring(vim.version().minor) }, folder .. "/result")
vim.cmd("qall!")
