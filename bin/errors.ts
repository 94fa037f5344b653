/** What the command line refuses. The message says what to do; the exit status is 1, or 2 for wrong usage. */
import { errorTable } from '../core/error-table.ts'
import { CodedError } from '../core/errors.ts'

export const CLI_ERRORS = errorTable(
  'cli',
  'What the command line refuses. The message says what to do. The exit status is 2 for `usage`, else 1.',
  {
    usage: {
      code: 1,
      text: '...',
      cause: 'An argument or a flag is missing, unknown or malformed.',
      action: 'Correct what the message names; `--help` after a command lists its flags.',
    },
    homeMissing: {
      code: 2,
      text: '... holds no chain yet: ... | ... is missing: ... | ...',
      cause: 'The home has not been made, or its node has not run yet.',
      action: 'Run `chain init` or `chain start` first, or name the home with `--home`.',
    },
    homeExists: {
      code: 3,
      text: '... is not empty: ... | ... exists: ... | ...',
      cause: 'Files that are there would be overwritten.',
      action: 'Name another folder or file, or use the flag that the message names.',
    },
    settings: {
      code: 4,
      text: '<file>:<line>: <key> is ..., but must be ...',
      cause: 'A setting is unknown or has a value that is not allowed.',
      action: 'Correct the line that the message names.',
    },
    genesis: {
      code: 5,
      text: '... does not exist | ... is no JSON, or cut short: ... | ...',
      cause:
        'The genesis file is missing or damaged, or no chain can begin with it, or with what the change would make of it.',
      action: 'Correct what the message names, or run `chain genesis fetch` again.',
    },
    portInUse: {
      code: 6,
      text: 'port ... (...) is in use; ... moves it | cannot listen on ... (...): ...',
      cause: 'Another process listens on an address of the node.',
      action: 'Stop it, or set another address: the message names the setting.',
    },
    wrongChain: {
      code: 7,
      text: '...: chain_id is ..., but ... is expected | ...',
      cause: 'Home, genesis file, archive and flags are not all of one chain.',
      action: 'Name the home of the chain that is meant.',
    },
    cometbft: {
      code: 8,
      text: '... init failed: ... | it said: ... | ...',
      cause: 'The program `cometbft` is missing, of a line that is not supported, or failed.',
      action: 'Run `make setup`, or name the program in `COMETBFT_BINARY`; read what it said.',
    },
    childFailed: {
      code: 9,
      text: '... died ... times in a row; its last output was: ...',
      cause: 'A process of the node ends as soon as it is started.',
      action: 'Read its last words.',
    },
    unreachable: {
      code: 10,
      text: '... cannot be asked: ...; name a node with --node | ... answered HTTP ... | ...',
      cause: 'The node that is asked does not answer, or answers too much.',
      action: 'Name a node that runs.',
    },
    homeInUse: {
      code: 11,
      text: '... is open in another process: is "chain start" running with this home?',
      cause: 'The command needs a stopped node.',
      action: 'Stop the node first.',
    },
    proof: {
      code: 12,
      text: '...',
      cause: '`verify-proof` was given no reply that could prove anything, or one that proves something else.',
      action: 'Do not trust the reply; ask for the proof again, from another node.',
    },
    rollback: {
      code: 14,
      text: '...',
      cause: 'The rollback is not possible, or was cut short.',
      action: 'Do what the message says; after an interruption run the same command again.',
    },
    damaged: {
      code: 15,
      text: '...: restore from a snapshot',
      cause: '`verify` found that the database is not what its headers commit to.',
      action: 'Look at the disk, then restore from a snapshot.',
    },
    permission: {
      code: 16,
      text: 'no permission to ...: run this as its owner | ... is on a file system that is read-only',
      cause: 'The files of the home belong to another user, or cannot be written.',
      action: 'Run the command as the owner of the home.',
    },
    snapshot: {
      code: 17,
      text: 'the archive is damaged or cut short: ... | ...',
      cause: 'A snapshot or an archive cannot be made or restored.',
      action: 'Do what the message says; copy a damaged archive again.',
    },
    keyring: {
      code: 18,
      text: 'no key ... in ... | ...: wrong password | ...',
      cause: 'A key is not there, cannot be opened, or is there already.',
      action: '`chain keys list` shows the keys that there are.',
    },
    transaction: {
      code: 19,
      text: 'account ... does not exist: ... | no block holds ... after ... s: ... | ...',
      cause: 'The transaction cannot be made or signed, or no block took it in time.',
      action: 'Correct what the message names.',
    },
    query: {
      code: 20,
      text: '...: ... (... ...)',
      cause: 'The node refused the question. The brackets hold its codespace and code.',
      action: 'Look that codespace and code up on this page.',
    },
    audit: {
      code: 21,
      text: 'height ...: rule ...: the node ... lies: ... | height ...: rule ...: the chain breaks it: ... | height ...: rule ...: the node ... lies, or the chain breaks it: ...',
      cause: 'An answer of the node does not fit a verified header, or the block breaks a rule of the order book.',
      action: 'Ask another node; where the chain itself breaks the rule, two thirds of its validators signed that.',
    },
    daemonUnhealthy: {
      code: 22,
      text: 'the daemon "..." has been unhealthy for more than ... s, since ...: ...',
      cause: 'A daemon has reported errors, or nothing, for longer than `--max-daemon-unhealthy-seconds`.',
      action: 'Do what the last error says (codespace `bridge-daemon`), then start the node again.',
    },
    bridgeKey: {
      code: 23,
      text: '... holds no keys of the bridge: ... | ...',
      cause: 'The file with the keys of the bridge is missing where it is needed, damaged, or full.',
      action: 'Restore it from a copy; `chain bridge key` makes one where there is none.',
    },
  },
  [13],
)

export const CLI_CODES = CLI_ERRORS.codes

export const cliError = (code: keyof typeof CLI_CODES, message: string, data?: unknown): CodedError =>
  new CodedError('cli', CLI_CODES[code], message, data)

export { errorText } from '../core/errors.ts'
