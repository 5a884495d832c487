-- Drives an agent with CodeCompanion's ACP connection in Neovim. See Task in ../program.ts.
local task = vim.json.decode(arg[#arg])
for _, plugin in ipairs({ "plenary.nvim", "codecompanion.nvim" }) do
  vim.opt.runtimepath:prepend(task.modules .. "/" .. plugin)
end
local command = { task.command }
vim.list_extend(command, task.args)

require("codecompanion").setup({})
local async = require("codecompanion.utils.async")
local helpers = require("codecompanion.adapters.acp.helpers")
local adapter = {
  name = "dragoman",
  formatted_name = "Dragoman",
  type = "acp",
  roles = { llm = "assistant", user = "user" },
  opts = {},
  commands = { default = command },
  defaults = { mcpServers = {}, timeout = 60000 },
  env = {},
  parameters = {
    protocolVersion = 1,
    clientCapabilities = { fs = { readTextFile = true, writeTextFile = true } },
    clientInfo = { name = "CodeCompanion.nvim", version = "1.0.0" },
  },
  handlers = {
    setup = function()
      return true
    end,
    form_messages = function(self, messages, capabilities)
      return helpers.form_messages(self, messages, capabilities)
    end,
    on_exit = function() end,
  },
}
local connection = require("codecompanion.acp").new({ adapter = adapter })

local function chosen(options, permission)
  local kind = permission == "allow" and "allow_once" or "reject_once"
  for _, option in ipairs(options) do
    if option.kind == kind then
      return option.optionId
    end
  end
end

local actions = {}

function actions.open()
  assert(connection:connect_and_initialize(), "could not open a session")
  return { sessionId = connection.session_id }
end

function actions.load(step)
  assert(connection:connect_and_authenticate(), "could not connect")
  assert(connection:load_session(step.sessionId), "could not load the session")
  return { sessionId = connection.session_id }
end

function actions.prompt(step)
  local text, job = "", nil
  local messages = { { role = "user", content = step.text, _meta = {} } }
  local prompt = connection:session_prompt(messages)
  local stop_reason = async.wait(function(done)
    prompt:on_message_chunk(function(chunk)
      text = text .. chunk
      if step.cancelAt and text:find(step.cancelAt, 1, true) then
        job.cancel()
        -- CodeCompanion does not wait for the answer.
        vim.schedule(done)
      end
    end)
    prompt:on_permission_request(function(request)
      request.respond(chosen(request.options, step.permission))
    end)
    prompt:on_complete(function(reason)
      vim.schedule(function()
        done(reason)
      end)
    end)
    prompt:on_error(function(message)
      vim.schedule(function()
        done("error: " .. message)
      end)
    end)
    job = prompt:send()
  end)
  return { text = text, stopReason = stop_reason }
end

local function do_steps()
  for _, step in ipairs(task.steps) do
    io.stdout:write("@@step " .. vim.json.encode(actions[step["do"]](step)) .. "\n")
  end
  connection:disconnect()
end

-- Its calls wait by yielding, as they do in a chat.
local ended, failure = false, nil
async.sync(function()
  local ok, message = pcall(do_steps)
  failure = not ok and message or nil
end)(function()
  ended = true
end)
vim.wait(110000, function()
  return ended and not connection._initialized
end, 10)
if failure or not ended then
  error(failure or "the steps did not end")
end
