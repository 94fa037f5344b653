/** The statuses of gRPC that this chain answers with (grpc.io, "Status codes"): here their numbers stand once. */
import { errorTable } from './error-table.ts'

export const GRPC_ERRORS = errorTable(
  'grpc',
  'Statuses of gRPC, with the numbers of gRPC. Seen on port 9090, as `code` in the answers of REST, and through ' +
    'gRPC-Web; `abci_query` on port 26657 turns them into codes of `sdk`.',
  {
    unknown: {
      code: 2,
      text: '...',
      cause: 'A refusal that has no status of its own: the message names its codespace and code.',
      action: 'Look that codespace and code up on this page.',
    },
    invalidArgument: {
      code: 3,
      text: '...',
      cause: 'A field of the request is missing, malformed or out of range.',
      action: 'Correct the field that the message names.',
    },
    deadlineExceeded: {
      code: 4,
      text: 'Deadline exceeded | the request did not come as a whole in time | ...',
      cause: 'The answer took longer than the deadline of the client or the limit of the node.',
      action: 'Ask for less, or try again later.',
    },
    notFound: {
      code: 5,
      text: '... not found',
      cause: 'There is no such account, validator, proposal, transaction or service.',
      action: 'Check the name; ask at another height if it did exist there.',
    },
    permissionDenied: {
      code: 7,
      text: 'pages of this origin may not send',
      cause: 'A page in a browser sends a POST to REST or gRPC-Web from an origin that the node does not name.',
      action: 'Name the origin in `api.cors-allowed-origins`.',
    },
    resourceExhausted: {
      code: 8,
      text: 'rate limit exceeded, retry in ... s | too many large answers are being sent, try again | ...',
      cause: 'The client asked too much or too fast, or a message is larger than the limit.',
      action: 'Wait as long as the message says, or ask for less at once.',
    },
    outOfRange: {
      code: 11,
      text: '... is not known here any more, or not yet',
      cause: 'What was asked for lies outside of what this node has.',
      action: 'Ask for what the message names, or ask another node.',
    },
    unimplemented: {
      code: 12,
      text: 'The server does not implement the method ... | ...',
      cause: 'This chain does not have that service, method or encoding.',
      action: 'Use a method that reflection lists.',
    },
    internal: {
      code: 13,
      text: 'internal error | ...',
      cause: 'A failure of the node itself, which its log describes in full; or a frame that is not gRPC.',
      action: 'Try another node; operators read the log.',
    },
    unavailable: {
      code: 14,
      text: 'application unavailable at ...; retrying | the history of the order book has no block yet: ...',
      cause:
        'The gateway runs, but the application does not answer it; or the node has no history of the order book yet, or makes none.',
      action: 'Try again in some seconds; operators look at `chain status`, and at `clob.history-enable`.',
    },
  },
)

export const GRPC = GRPC_ERRORS.codes
