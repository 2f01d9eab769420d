// Written by `mvault install opencode`; `mvault uninstall opencode` removes it.
// OpenCode has no hooks that start a program: this asks mvault what a prompt should bring, and
// before and after a tool runs.
import { spawnSync } from "node:child_process";

const COMMAND = /* mvault hook */ {{command}};

function ask(event, payload, timeout = 5000) {
  try {
    const [program, ...words] = COMMAND;
    const done = spawnSync(program, words.map((word) => (word === "EVENT" ? event : word)), {
      input: JSON.stringify({ hook_event_name: event, ...payload }),
      encoding: "utf-8",
      timeout,
    });
    return JSON.parse(done.stdout || "{}");
  } catch {
    return {}; // a memory that is not there never stops the agent
  }
}

async function isSubagent(client, id) {
  try {
    return Boolean((await client.session.get({ path: { id } })).data?.parentID);
  } catch {
    return false;
  }
}

export const Mvault = async ({ client, directory }) => ({
  "chat.message": async (input, output) => {
    const typed = output.parts.filter((part) => part.type === "text" && !part.synthetic);
    const last = output.parts.at(-1);
    if (!typed.length || (await isSubagent(client, input.sessionID))) return;
    const prompt = typed.map((part) => part.text).join("\n");
    const answer = ask(
      "UserPromptSubmit",
      { session_id: input.sessionID, cwd: directory, prompt },
      20000,
    );
    const text = answer.hookSpecificOutput?.additionalContext;
    if (!text) return;
    // parts stand in the order of their ids, so this one comes behind what was typed
    const { sessionID, messageID } = last;
    output.parts.push({ id: `${last.id}m`, sessionID, messageID, type: "text", text, synthetic: true });
  },
  "experimental.session.compacting": async (input) => {
    ask("PreCompact", { session_id: input.sessionID, cwd: directory, trigger: "auto" });
  },
  "tool.execute.before": async (input, output) => {
    const answer = ask("PreToolUse", {
      session_id: input.sessionID,
      cwd: directory,
      tool_name: input.tool,
      tool_use_id: input.callID,
      tool_input: output.args,
    });
    const own = answer.hookSpecificOutput || {};
    if (own.permissionDecision === "deny") throw new Error(own.permissionDecisionReason);
  },
  "tool.execute.after": async (input, output) => {
    ask("PostToolUse", {
      session_id: input.sessionID,
      cwd: directory,
      tool_name: input.tool,
      tool_use_id: input.callID,
      tool_input: input.args,
      tool_response: { output: output.output, metadata: output.metadata },
    });
  },
});
