/** geth finds the block before it judges parameters that it could read: a fault counts only where there is a block. */
import type { BlockReference } from '../../app/ports.ts'
import type { Answer, CallContext } from '../method.ts'

/** Asks `question`; when the parameters are refused, what is wrong with the block is said first. */
export const judgeAtBlock = ({ ask }: CallContext, block: BlockReference, question: () => Answer): Answer => {
  try {
    return question()
  } catch (fault) {
    const looked = ask('balance', { address: `0x${'00'.repeat(20)}`, block })
    return Promise.resolve(looked).then(() => {
      throw fault
    })
  }
}
