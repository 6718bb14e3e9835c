// The dev server of the agent's project. It leaves its address in a file, whole
// or not at all, and answers every request with its process ID.

import { renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';

const server = createServer((request, response) => response.end(String(process.pid)));

server.listen(0, '127.0.0.1', () => {
  writeFileSync('address.new', JSON.stringify({ pid: process.pid, port: server.address().port }));
  renameSync('address.new', 'address.json');
});
