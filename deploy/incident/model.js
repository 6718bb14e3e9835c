// A stand-in for the model behind the agent: whatever it is asked, it has the
// agent run one shell command, and ends the turn when the result comes back.
// It speaks as much of the Messages API as the agent's command line uses.

import { once } from 'node:events';
import { createServer } from 'node:http';

/** Listens on a free local port; returns its base URL. */
export async function startModel(command) {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, 'http://model');
    if (request.method !== 'POST' || pathname !== '/v1/messages') return response.writeHead(404).end();
    const question = JSON.parse(await text(request));
    send(response, question, answer(question, command));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  server.unref();
  return `http://127.0.0.1:${server.address().port}`;
}

async function text(request) {
  let all = '';
  request.setEncoding('utf8');
  for await (const part of request) all += part;
  return all;
}

// The agent also asks without tools (for a title, say): that gets words.
function answer({ messages, tools = [] }, command) {
  const canRun = tools.some((tool) => tool.name === 'Bash');
  if (!canRun || holdsResult(messages.at(-1))) return { type: 'text', text: 'Done.' };
  return { type: 'tool_use', id: 'toolu_dev', name: 'Bash', input: { command, description: 'Start the dev server' } };
}

function holdsResult({ content }) {
  return Array.isArray(content) && content.some((block) => block.type === 'tool_result');
}

function send(response, { model, stream }, block) {
  const stop = { stop_reason: block.type === 'tool_use' ? 'tool_use' : 'end_turn', stop_sequence: null };
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model, usage: { input_tokens: 1, output_tokens: 1 } };
  if (!stream) {
    response.setHeader('content-type', 'application/json');
    return response.end(JSON.stringify({ ...message, ...stop, content: [block] }));
  }
  response.setHeader('content-type', 'text/event-stream');
  for (const event of events(message, stop, block)) {
    response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  }
  response.end();
}

function* events(message, stop, block) {
  const [empty, delta] = block.type === 'text'
    ? [{ text: '' }, { type: 'text_delta', text: block.text }]
    : [{ input: {} }, { type: 'input_json_delta', partial_json: JSON.stringify(block.input) }];
  yield { type: 'message_start', message: { ...message, content: [], stop_reason: null, stop_sequence: null } };
  yield { type: 'content_block_start', index: 0, content_block: { ...block, ...empty } };
  yield { type: 'content_block_delta', index: 0, delta };
  yield { type: 'content_block_stop', index: 0 };
  yield { type: 'message_delta', delta: stop, usage: { output_tokens: 1 } };
  yield { type: 'message_stop' };
}
