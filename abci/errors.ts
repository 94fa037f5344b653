/** Failures of the peer on the ABCI wire. The application's own failures never carry this codespace. */
import { errorTable } from '../core/error-table.ts'
import { CodedError } from '../core/errors.ts'

export const ABCI_CODESPACE = 'abci'

export const ABCI_ERRORS = errorTable(
  ABCI_CODESPACE,
  'What CometBFT did wrong on the ABCI connection, or what does not fit through it. Seen in the log; 6 and 13 also as ' +
    'codes of CheckTx and `abci_query`.',
  {
    frameTooLarge: {
      code: 1,
      text: 'a frame of ... bytes passes the limit of ...',
      cause: 'The peer sent more than any request of ABCI has.',
      action: 'Check that nothing but CometBFT connects to the ABCI address.',
    },
    malformedLength: {
      code: 2,
      text: 'a frame length of more than ... bytes',
      cause: 'The peer does not speak ABCI.',
      action: 'Check that nothing but CometBFT connects to the ABCI address.',
    },
    undecodable: {
      code: 3,
      text: 'a frame of ... bytes is no request: ... | ... bytes are no request of ...: ...',
      cause: 'The bytes are not the protobuf of a request.',
      action: 'Use CometBFT of a line that this version supports.',
    },
    unknownMethod: {
      code: 4,
      text: 'a request of an unknown method',
      cause: 'The request is of a method that ABCI 2.0 does not have.',
      action: 'Use CometBFT of a line that this version supports.',
    },
    missingField: {
      code: 5,
      text: '... is missing',
      cause: 'A field that CometBFT always fills is absent.',
      action: 'Use CometBFT of a line that this version supports.',
    },
    outOfRange: {
      code: 6,
      text: '... is ... | ... has ... bytes, not ... | ...',
      cause: 'A field has a value that cannot be, such as a negative height.',
      action: 'Correct the height of the query; on other calls, use CometBFT of a line that is supported.',
    },
    unsupportedKeyType: {
      code: 7,
      text: 'a validator key of type ...: only ed25519 is supported',
      cause: 'The genesis file names a validator with another kind of key.',
      action: 'Use ed25519 keys for validators.',
    },
    outputBackedUp: {
      code: 8,
      text: 'the peer left ... bytes of answers unread',
      cause: 'CometBFT sends requests and does not read the answers.',
      action: 'Nothing: the connection is closed, and CometBFT is started again.',
    },
    occupied: {
      code: 9,
      text: 'another connection makes the consensus calls',
      cause: 'A second CometBFT connected, or something that is none, while the first one lives.',
      action: 'Check that one CometBFT alone connects to the application.',
    },
    unsupportedMethod: {
      code: 10,
      text: '(no text)',
      cause: 'CometBFT is set to a mempool that leaves transactions to the application (InsertTx).',
      action: 'Set `mempool.type = "flood"` in config.toml.',
    },
    invalidAddress: {
      code: 11,
      text: '"..." is neither tcp://host:port nor unix:///path',
      cause: 'The ABCI address is malformed.',
      action: 'Correct `--abci-address`.',
    },
    addressInUse: {
      code: 12,
      text: 'listen EADDRINUSE: ...',
      cause: 'Another process listens on the ABCI address.',
      action: 'Stop it, or choose another address.',
    },
    replyTooLarge: {
      code: 13,
      text: 'an answer of ... bytes is too large: ... at most over gRPC',
      cause: 'The answer of a query is larger than CometBFT reads.',
      action: 'Ask for less at once, or run the node with `--abci socket`.',
    },
    unavailable: {
      code: 14,
      text: 'the application takes no calls of this connection',
      cause: 'The connection was closed, or the application is stopping.',
      action: 'Nothing: CometBFT connects again.',
    },
  },
)

export const ABCI_CODES = ABCI_ERRORS.codes

export const protocolError = (code: keyof typeof ABCI_CODES, message: string): CodedError =>
  new CodedError(ABCI_CODESPACE, ABCI_CODES[code], message)

/** True for what the peer did wrong: its connection is closed, and the node goes on. */
export const isProtocolError = (error: unknown): error is CodedError =>
  error instanceof CodedError && error.codespace === ABCI_CODESPACE
