/** Variables of the environment that begin with CHAIN_: which there are, and what a misspelt one may have meant. */
import { environmentName, SETTING_KEYS } from './settings.ts'

/** The variables that are of no setting: those of flags, passwords, and what tests set. */
const OTHERS = [
  'CHAIN_HOME',
  'CHAIN_NODE',
  'CHAIN_RPC_LADDR',
  'CHAIN_P2P_LADDR',
  'CHAIN_P2P_SEEDS',
  'CHAIN_P2P_PERSISTENT_PEERS',
  'CHAIN_BRIDGE_DAEMON_ETH_RPC_ENDPOINT',
  'CHAIN_MAX_DAEMON_UNHEALTHY_SECONDS',
  'CHAIN_KEYRING_BACKEND',
  'CHAIN_KEYRING_PASSWORD',
  'CHAIN_KEYRING_PASSWORD_FILE',
  'CHAIN_KILL_AT',
  // docker/init.sh reads it.
  'CHAIN_ID',
] as const
const OF_TESTS = /^CHAIN_(?:TEST|SIM)_/

export const ENVIRONMENT_NAMES: ReadonlySet<string> = new Set([...SETTING_KEYS.map(environmentName), ...OTHERS])

/** Letters to insert, delete or replace (Levenshtein). */
const distance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}

/** Longer names are not compared, for none of ours is as long. */
const MAX_LENGTH = 100

const nearest = (name: string): string | undefined => {
  if (name.length > MAX_LENGTH) return undefined
  let [best, least]: [string | undefined, number] = [undefined, Math.ceil(name.length / 4)]
  for (const known of ENVIRONMENT_NAMES) {
    const letters = distance(name, known)
    if (letters < least) [best, least] = [known, letters]
  }
  return best
}

/** A warning for every variable that nothing reads. */
export const unknownVariables = (environment: Readonly<Record<string, string | undefined>>): readonly string[] =>
  Object.keys(environment)
    .filter((name) => name.startsWith('CHAIN_') && !ENVIRONMENT_NAMES.has(name) && !OF_TESTS.test(name))
    .toSorted((a, b) => (a < b ? -1 : 1))
    .map((name) => {
      const known = nearest(name)
      return `the variable ${name} has no effect${known === undefined ? '' : `; did you mean ${known}?`}`
    })
