/** `chain tx bridge` */
import * as z from 'zod'
import { bridgeKeyDigest, signForBridge } from '../../../../core/bridge-signature.ts'
import { bytesToHex, hexToBytes } from '../../../../core/hex.ts'
import { bridgeQuery, bridgeTx } from '../../../../proto/index.ts'
import { cliError } from '../../../errors.ts'
import { ensureBridgeKey, readBridgeKeys } from '../../../node/bridge/bridge-keys.ts'
import { requireHome } from '../../../node/config/home.ts'
import { readGenesisJson } from '../../../node/genesis/document.ts'
import { parseCoins } from '../../client/coins.ts'
import { pack } from '../tx-document.ts'
import { argument, type MessageContext, type TxCommand } from './tx-command.ts'

const { method } = bridgeQuery.Query

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

/** The digests that the members of the present set sign now, as the node says. */
const askUnsigned = async ({ client }: MessageContext): Promise<readonly string[]> => {
  const { pending } = await client.query(method.signatures, {})
  const { nextSetNonce } = await client.query(method.wayBack, {})
  const next = nextSetNonce === 0n ? undefined : await client.query(method.signingSet, { nonce: nextSetNonce })
  return [pending?.digest, next?.set?.digest].flatMap((digest) => digest ?? [])
}

/** The votes of a validator bring its signatures. One that votes no more, while a set still names its key, sends them. Throws cli/19. */
const signByHand: TxCommand = {
  usage: 'sign',
  description:
    'sign what waits, with keys of the home whose validator votes no more; --node must be one that you trust',
  messages: async (context) => {
    const { from, home } = context
    const { set } = await context.client.query(method.signingSet, {})
    const members = new Set(set?.members.map(({ address }) => address))
    const keys = readBridgeKeys(home).filter(({ address }) => members.has(bytesToHex(address)))
    const digests = keys.length === 0 ? [] : await askUnsigned(context)
    if (digests.length === 0) {
      throw cliError('transaction', `nothing waits for a signature of the keys in ${home.bridgeKey}`)
    }
    return digests.map(hexToBytes).flatMap((digest) =>
      keys.map(({ privateKey }) => {
        const signature = signForBridge(digest, privateKey)
        return pack(bridgeTx.MsgSubmitSignatureSchema, { sender: from, digest, signature })
      }),
    )
  },
}

export const BRIDGE_COMMANDS: readonly TxCommand[] = [withdraw, setKey, signByHand]
