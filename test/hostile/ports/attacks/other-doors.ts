/** Texts that are slow to read, through the doors that take the longest ones: WebSocket, REST and gRPC-Web. */
import { type Assault, type Attack, isOver, leftMs, pump, scaled } from '../attack.ts'
import { endAll, openCounted } from '../sockets.ts'
import { askHttp } from '../wire.ts'

const MEGABYTES_31 = 31_000_000

const socketTexts = (): readonly string[] => [
  '['.repeat(MEGABYTES_31 / 2) + ']'.repeat(MEGABYTES_31 / 2),
  '['.repeat(MEGABYTES_31),
  `"${'\\u0000'.repeat(5_160_000)}`,
  `{"jsonrpc":"2.0","id":"${'<'.repeat(MEGABYTES_31)}","method":"eth_chainId","params":[]}`,
]

interface Door {
  readonly path: string
  readonly type: string
  readonly body: string
}

const SIMULATE = '/cosmos/tx/v1beta1/simulate'

const restBodies = (): readonly Door[] => [
  { path: '/cosmos.bank.v1beta1.Query/Balance', type: 'application/grpc-web-text', body: 'a='.repeat(499_000) },
  { path: SIMULATE, type: 'application/json', body: '{"tx":'.repeat(160_000) },
  {
    path: SIMULATE,
    type: 'application/json',
    body: `{"tx":{"body":{"messages":[${'{"@type":"/cosmos.authz.v1beta1.MsgExec","msgs":['.repeat(19_000)}`,
  },
]

/** One connection a text: what cannot be read is the end of it. */
const overSockets = async (assault: Assault, texts: readonly string[]): Promise<void> => {
  for (let index = 0; !isOver(assault); index++) {
    const socket = await openCounted(assault)
    if (socket === undefined) continue
    const ended = new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, leftMs(assault))
      const settle = (): void => {
        clearTimeout(timer)
        resolve()
      }
      socket.once('message', settle).once('close', settle)
    })
    socket.send(texts[index % texts.length] ?? '')
    await ended
    endAll([socket])
  }
}

const overRest = async (assault: Assault, bodies: readonly Door[]): Promise<void> => {
  await pump(assault, { width: Math.max(2, scaled(assault, 4)) }, async (index) => {
    const { path, type, body } = bodies[index % bodies.length] ?? bodies[0] ?? { path: '/', type: '', body: '' }
    const question = { body, headers: { 'content-type': type }, limitMs: leftMs(assault) + 1_000 }
    const { status, failure } = await askHttp(assault.target.rest + path, question)
    assault.tally.add(failure ?? `HTTP ${status}`)
  })
}

export const OTHER_DOOR_ATTACKS: readonly Attack[] = [
  {
    name: 'texts slow to read over WebSocket, REST and gRPC-Web',
    seconds: 10,
    bounded: 'depth, values and bytes of a text, before it is parsed',
    outcomes:
      /^(connected|not connected|closed (1006|1008 .*|1009.*|1013 .*)|HTTP (200|400|413|415|429|503)|no answer in time|ECONNRESET|socket hang up|EPIPE)$/,
    async run(assault) {
      await Promise.all([overSockets(assault, socketTexts()), overRest(assault, restBodies())])
    },
  },
]
