/** `chain tx bridge` */
import * as z from 'zod'
import { bridgeKeyDigest, signForBridge } from '../../../../core/bridge-signature.ts'
import { bytesToHex } from '../../../../core/hex.ts'
import { bridgeTx } from '../../../../proto/index.ts'
import { cliError } from '../../../errors.ts'
import { ensureBridgeKey } from '../../../node/bridge/bridge-keys.ts'
import { requireHome } from '../../../node/config/home.ts'
import { readGenesisJson } from '../../../node/genesis/document.ts'
import { parseCoins } from '../../client/coins.ts'
import { pack } from '../tx-document.ts'
import { argument, type MessageContext, type TxCommand } from './tx-command.ts'

/** Reads of which chain the home is: a key is registered for one chain. Throws cli/5. */
const chainIdOf = ({ genesis }: MessageContext['home']): string => {
  const document = z.object({ chain_id: z.string() }).safeParse(readGenesisJson(genesis))
  if (document.success) return document.data.chain_id
  throw cliError('genesis', `${genesis} has no chain_id`)
}

/** The node holds the key. The account of the operator signs the message, and the key shows that it agrees. */
const setKey: TxCommand = {
  usage: 'set-key',
  description: 'register the key of the home with which the validator of the sender signs for the bridge',
  messages: ({ from, home }) => {
    requireHome(home)
    const { address, privateKey } = ensureBridgeKey(home)
    const signature = signForBridge(bridgeKeyDigest(chainIdOf(home), from), privateKey)
    return [pack(bridgeTx.MsgSetBridgeKeySchema, { operator: from, address: bytesToHex(address), signature })]
  },
}

const withdraw: TxCommand = {
  usage: 'withdraw <recipient> <amount>',
  description: 'burn coins of the bridged denomination for an account of the external chain: 0x..., such as 5nat',
  messages: ({ from }, args) => {
    const recipient = argument(args, 0).toLowerCase()
    if (!/^0x[0-9a-f]{40}$/.test(recipient)) throw cliError('usage', `"${recipient}" is no address of 0x and 40 digits`)
    const [amount, more] = parseCoins(argument(args, 1))
    if (amount === undefined || more !== undefined) throw cliError('usage', 'a withdrawal is of one denomination')
    return [pack(bridgeTx.MsgWithdrawSchema, { sender: from, recipient, amount })]
  },
}

export const BRIDGE_COMMANDS: readonly TxCommand[] = [withdraw, setKey]
