/** All attacks, each once. */
import { setImmediate as breathe } from 'node:timers/promises'
import { type Attack, isOver } from './attack.ts'
import { BODY_ATTACKS } from './attacks/bodies.ts'
import { CONNECTION_ATTACKS } from './attacks/connections.ts'
import { EXECUTION_ATTACKS } from './attacks/execution.ts'
import { FILTER_ATTACKS } from './attacks/filters.ts'
import { FORGERY_ATTACKS } from './attacks/forgeries.ts'
import { FRAMING_ATTACKS } from './attacks/framing.ts'
import { GRPC_ATTACKS } from './attacks/grpc.ts'
import { LARGE_ANSWER_ATTACKS } from './attacks/large-answers.ts'
import { ORDER_BOOK_ATTACKS } from './attacks/order-book.ts'
import { OTHER_DOOR_ATTACKS } from './attacks/other-doors.ts'
import { PIPELINING_ATTACKS } from './attacks/pipelining.ts'
import { COMET_ATTACKS, REST_ATTACKS } from './attacks/rest.ts'
import { VALUE_ATTACKS } from './attacks/values.ts'
import { WEBSOCKET_ATTACKS } from './attacks/websockets.ts'

/** Sends nothing: what a busy neighbour on the same machine alone does to an honest client. */
const CONTROL: Attack = {
  name: 'control: attacker burns CPU',
  seconds: 6,
  bounded: 'nothing: it is what the others are compared with',
  outcomes: /^rounds$/,
  async run(assault) {
    while (!isOver(assault)) {
      for (let step = 0; step < 2_000_000; step++) Math.imul(step, step)
      assault.tally.add('rounds')
      await breathe()
    }
  },
}

export const ATTACKS: readonly Attack[] = [
  CONTROL,
  ...CONNECTION_ATTACKS,
  ...WEBSOCKET_ATTACKS,
  ...BODY_ATTACKS,
  ...OTHER_DOOR_ATTACKS,
  ...EXECUTION_ATTACKS,
  ...FILTER_ATTACKS,
  ...FRAMING_ATTACKS,
  ...GRPC_ATTACKS,
  ...REST_ATTACKS,
  ...COMET_ATTACKS,
  ...LARGE_ANSWER_ATTACKS,
  ...ORDER_BOOK_ATTACKS,
  ...VALUE_ATTACKS,
  ...PIPELINING_ATTACKS,
  ...FORGERY_ATTACKS,
]
