// Written by `mvault install opencode`; `mvault uninstall opencode` removes it.
// OpenCode has no hooks that start a program: this asks mvault before and after a tool runs.
import { spawnSync } from "node:child_process";

const COMMAND = /* mvault hook */ {{command}};

function ask(event, payload) {
  try {
    const [program, ...words] = COMMAND;
    const done = spawnSync(program, words.map((word) => (word === "EVENT" ? event : word)), {
      input: JSON.stringify({ hook_event_name: event, ...payload }),
      encoding: "utf-8",
      timeout: 5000,
    });
    return JSON.parse(done.stdout || "{}");
  } catch {
    return {}; // a memory that is not there never stops the agent
  }
}

export const Mvault = async ({ directory }) => ({
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
