/** Who is told of all that the application tells: figures, traces, the log at its most talkative. */
import type { BlockWitness } from '../../../app/app.ts'
import type { Witness } from '../../../app/witness.ts'

export interface NodeWitness extends Witness, BlockWitness {}
