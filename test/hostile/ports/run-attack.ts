/**
 * One attack as a process, at a low priority: what the honest client feels is the node and not this program. The job
 * comes as JSON in the first argument; what came of it goes over the channel of the parent.
 */
import { setPriority } from 'node:os'
import { nowMs, type Prepared, Tally, type Target } from './attack.ts'
import { ATTACKS } from './attack-list.ts'

export interface Job {
  readonly name: string
  readonly target: Target
  readonly prepared: Prepared
  readonly scale: number
  /** Less than those of the attack where time is short. */
  readonly seconds: number
}

const LOW_PRIORITY = 15

setPriority(LOW_PRIORITY)
const { name, target, prepared, scale, seconds } = JSON.parse(process.argv[2] ?? '{}') as Job
const attack = ATTACKS.find((each) => each.name === name)
if (attack === undefined) throw new TypeError(`no attack ${name}`)
const tally = new Tally()
// A socket that fails where nobody waits for it is an outcome of the attack, too.
process.on('uncaughtException', (error) => tally.add(`uncaught ${error.message}`))
await attack.run({ target, prepared, scale, tally, untilMs: nowMs() + seconds * 1_000 })
process.send?.([...tally.counts], () => process.exit(0))
