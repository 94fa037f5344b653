/** What the bank's messages cost beside the flat price of a message, which pays for one transfer of one coin. */
import type { MessageContext } from '../module.ts'

/** Two balances are read and written, and two events go to every node: about Ethereum's price of a transfer. */
export const GAS_PER_TRANSFER = 20_000n

/** `count` transfers of one coin each beside the first. Throws sdk/11. */
export const consumeTransferGas = ({ consumeGas }: MessageContext, count: number): void =>
  consumeGas(GAS_PER_TRANSFER * BigInt(count), 'transfer')

/** One value is written: Ethereum's price of a storage slot that changes. */
export const GAS_PER_ENTRY = 5_000n
