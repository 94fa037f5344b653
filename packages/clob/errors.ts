/** What this package refuses, by a name that programs can tell apart. */

/**
 * `range`: an argument that no transaction can hold. `answer`: the node answered in a form that this package does not know. `gap`: a
 * stream lost or repeated something. `ended`: a stream is over, with the node's reason. `missed`: a stream cannot be taken up at `fromHeight`, for the node does not know
 * that block any more; a snapshot is needed. `transport`: the client has no WebSocket.
 * `account`: there is nobody to sign.
 */
export type ClobErrorName = 'range' | 'answer' | 'gap' | 'ended' | 'missed' | 'transport' | 'account'

export class ClobClientError extends Error {
  readonly kind: ClobErrorName

  constructor(kind: ClobErrorName, message: string) {
    super(message)
    this.name = 'ClobClientError'
    this.kind = kind
  }
}
