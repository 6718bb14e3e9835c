// What is compared, as data: inits and scenarios.

/** What the agent is made to do in its session before the daemon is killed. */
export const scenarios = {
  session: {},
  devserver: { command: 'nohup npm run dev > dev.log 2>&1 &' },
};

/**
 * Parses "[NAME=]COMMAND [:: PREFIX]": COMMAND is the init, to which the runner's
 * command line is added; PREFIX goes before the daemon's. Words are separated by
 * blanks, without quoting. An empty COMMAND makes the runner itself PID 1.
 * expected is what the init must show: 'clean' or 'leak'.
 */
export function parseInit(text, expected) {
  const [, name, command] = /^(?:([\w.+-]+)=)?(.*)$/s.exec(text);
  const words = command.split(/\s+/).filter((word) => word !== '');
  const mark = words.indexOf('::');
  const init = mark < 0 ? words : words.slice(0, mark);
  const prefix = mark < 0 ? [] : words.slice(mark + 1);
  return { name: name ?? shortName(words), init, prefix, expected };
}

function shortName(words) {
  return words.filter((word) => word !== '--').map((word) => word.split('/').at(-1)).join(' ');
}

/** Every init with every scenario and every signal. */
export function cases(inits, scenarioNames, signals) {
  return inits.flatMap((init) =>
    scenarioNames.flatMap((scenario) =>
      signals.map((signal) => ({ ...init, scenario, signal, command: scenarios[scenario].command }))));
}
