/** What the daemon of the bridge reports: nothing of it ever becomes an event. */
import { errorTable } from '../../core/error-table.ts'
import { CodedError } from '../../core/errors.ts'

export const DAEMON_ERRORS = errorTable(
  'bridge-daemon',
  'What keeps the daemon of the bridge from reading the external chain. The node goes on, without attesting new ' +
    'events, until `--max-daemon-unhealthy-seconds` have passed.',
  {
    unreachable: {
      code: 1,
      text: '...: no answer: ... | ...: no answer within ... s | ...: HTTP ...',
      cause: 'An endpoint is down or too slow, or something stands between.',
      action: 'Look after the endpoint, or name another one.',
    },
    limited: {
      code: 2,
      text: '...: HTTP 429 | ...: ... refused: ...',
      cause: 'The provider limits requests or ranges. Ranges are made smaller by themselves.',
      action: 'Where it stays, take another plan or another provider.',
    },
    tooLarge: {
      code: 3,
      text: '...: the answer to ... is longer than ... bytes',
      cause: 'An answer is longer than what is read. Ranges of blocks are made smaller by themselves.',
      action: 'Where it stays, the endpoint is no RPC of a chain, or means harm: name another one.',
    },
    malformed: {
      code: 4,
      text: '...: malformed answer to ...: ...',
      cause: 'The endpoint answers something else than was asked.',
      action: 'Name the URL of an Ethereum JSON-RPC that knows the tag `finalized`.',
    },
    wrongChain: {
      code: 5,
      text: '...: is of chain ..., and the bridge is on chain ...',
      cause: 'The endpoint belongs to another chain than the parameters of the bridge name.',
      action: 'Name an endpoint of that chain.',
    },
    syncing: {
      code: 6,
      text: '...: is still syncing',
      cause: 'The endpoint has not reached the head of its chain.',
      action: 'Wait, or name another endpoint.',
    },
    behind: {
      code: 7,
      text: 'finalized is block ..., though block ... was | the chain has ... finalized events, though ... are acknowledged',
      cause: 'The endpoints have fallen behind what was read or acknowledged before.',
      action: 'Name endpoints that are up to date; look whether they are of the chain that the others use.',
    },
    reorganised: {
      code: 8,
      text: 'the external chain was re-organised below finality: block ... was ..., and is ...',
      cause: 'A finalized block was replaced, or the endpoints tell of another chain than before.',
      action: 'Find out which chain is meant before the node is started again. Nothing is attested meanwhile.',
    },
    disagreement: {
      code: 9,
      text: 'no majority of ... endpoints for ...: ...',
      cause: 'Fewer than a majority of the endpoints answer alike.',
      action: 'The message says what is wrong with each.',
    },
    skippedId: {
      code: 10,
      text: 'event ... of block ... follows event ... | ...',
      cause: 'The contract or the endpoints leave out, repeat or reorder events.',
      action: 'Look at the events of the contract; name other endpoints where these leave some out.',
    },
    protocol: {
      code: 11,
      text: 'a frame ... | ...',
      cause: 'The other side of the local socket does not speak the protocol of this version.',
      action: 'Start the node again, all of one version.',
    },
  },
)

export type DaemonFault = keyof typeof DAEMON_ERRORS.codes

export const daemonError = (code: DaemonFault, message: string): CodedError =>
  new CodedError('bridge-daemon', DAEMON_ERRORS.codes[code], message)

export const isFault = (error: unknown, ...codes: readonly DaemonFault[]): boolean =>
  error instanceof CodedError &&
  error.codespace === 'bridge-daemon' &&
  codes.some((code) => DAEMON_ERRORS.codes[code] === error.code)
