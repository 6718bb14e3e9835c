// What is compared, as data: inits, what is done below them, and what must come of it.

/** What an init must show: whether agents leak, and what becomes of their dev servers. */
export const expectations = {
  clean: { leaks: false, devServers: 'stay' },
  contained: { leaks: false, devServers: 'go' },
  leak: { leaks: true, devServers: 'stay' },
};

const command = 'nohup npm run dev > dev.log 2>&1 &';

/**
 * One run of each: how many agents live at the same time; the command that each
 * is made to run; how long (ms) all goes on before the first daemon is killed; a
 * variable that the runner sets for each daemon, to a value of its own.
 */
export const scenarios = {
  session: { agents: 1, hold: 0 },
  devserver: { agents: 1, command, hold: 0 },
  lifetime: { agents: 1, command, hold: 8_000, variable: 'INCIDENT_AGENT' },
  pair: { agents: 2, command, hold: 8_000, variable: 'INCIDENT_AGENT' },
  twins: { agents: 2, command, hold: 8_000 },
};

// A kill is a signal and who gets it: the daemon itself, or of "sbinit guard" the
// front, which is what the runner started, or the keeper.
const usual = { scenarios: ['session', 'devserver'], kills: ['TERM daemon', 'KILL daemon'] };
const wrapped = { ...usual, kills: ['TERM front', 'KILL front'] };

/**
 * What is run without being asked for; "@" stands for the sbinit under test. Where
 * dev servers go, "devserver" asks for all that "session" does.
 */
export const builtin = [
  { ...usual, expected: 'clean', text: '@' },
  { expected: 'contained', text: 'guard=tini -- :: @ guard --',
    scenarios: ['devserver'], kills: ['TERM front', 'KILL front', 'KILL daemon', 'KILL keeper'] },
  { expected: 'contained', text: 'guard-daemon=env SBINIT_GUARD=sandbox-agent SBINIT_ORPHANS=keep @ --',
    scenarios: ['devserver'], kills: ['TERM daemon', 'KILL daemon'] },
  { expected: 'contained', text: 'guard-agent=env SBINIT_GUARD=claude-agent-acp @ --',
    scenarios: ['lifetime', 'pair', 'twins'], kills: ['KILL daemon'] },
  { ...usual, expected: 'leak', text: 'tini --' },
];

/** An init of the command line's: the usual runs, with that expectation. */
export function asked(text, expected) {
  return { ...(text.includes('::') ? wrapped : usual), expected, text };
}

/**
 * Adds to a variant what its text says: "[NAME=]COMMAND [:: PREFIX]". COMMAND is the
 * init, to which the runner's command line is added; PREFIX goes before the
 * daemon's. Words are separated by blanks, without quoting; "@" is the program
 * given. An empty COMMAND makes the runner itself PID 1.
 */
export function parseVariant({ text, ...variant }, sbinit) {
  const [, name, line] = /^(?:([\w.+-]+)=)?(.*)$/s.exec(text);
  const words = line.split(/\s+/).filter((word) => word !== '').map((word) => (word === '@' ? sbinit : word));
  const mark = words.indexOf('::');
  const init = mark < 0 ? words : words.slice(0, mark);
  const prefix = mark < 0 ? [] : words.slice(mark + 1);
  return { ...variant, name: name ?? shortName(words), init, prefix };
}

function shortName(words) {
  return words.filter((word) => word !== '--').map((word) => word.split('/').at(-1)).join(' ');
}

/**
 * Every variant with each of its scenarios and kills, or with those asked for:
 * lists of names and of signals, undefined for all.
 */
export function cases(variants, scenarioNames, signals) {
  return variants.flatMap(({ scenarios: own, kills, ...variant }) =>
    (scenarioNames ?? own).flatMap((scenario) =>
      killsBy(signals, kills).map((kill) => ({
        ...variant, ...expectations[variant.expected], scenario, kill, ...scenarios[scenario],
      }))));
}

// A signal asked for goes to everybody who would get another one.
function killsBy(signals, kills) {
  const parsed = kills.map((kill) => kill.split(' ')).map(([signal, victim]) => ({ signal, victim }));
  if (signals === undefined) return parsed;
  const victims = [...new Set(parsed.map(({ victim }) => victim))];
  return victims.flatMap((victim) => signals.map((signal) => ({ signal, victim })));
}
