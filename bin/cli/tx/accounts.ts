/** What a signature needs to know of an account, from flags or from a node. */
import { encodeBech32 } from '../../../core/bech32.ts'
import type { Address } from '../../../core/address.ts'
import { authQuery } from '../../../proto/index.ts'
import type { SignerData } from '../../../app/native/sign-bytes.ts'
import { cliError } from '../../errors.ts'
import { type CometClient, QueryRefusal } from '../client/comet-client.ts'
import type { TxFlags } from './tx-flags.ts'

/** The SDK's code of a key that is not in its store. */
const KEY_NOT_FOUND = 22

const askAccount = async (
  client: CometClient,
  address: Address,
): Promise<{ readonly accountNumber: bigint; readonly sequence: bigint }> => {
  const text = encodeBech32(address)
  try {
    const { info } = await client.query(authQuery.Query.method.accountInfo, { address: text })
    return { accountNumber: info?.accountNumber ?? 0n, sequence: info?.sequence ?? 0n }
  } catch (error) {
    if (!(error instanceof QueryRefusal) || error.reason.code !== KEY_NOT_FOUND) throw error
    throw cliError('transaction', `account ${text} does not exist: it has to get coins first`)
  }
}

/** Throws cli/7 where the flags name another chain than the node is of: it would tell of a wrong signature. */
export const requireChain = ({ chainId }: TxFlags, nodesChainId: string): void => {
  if (chainId === undefined || chainId === nodesChainId) return
  throw cliError(
    'wrongChain',
    `--chain-id: chain_id is "${chainId}", but the node that was asked is of "${nodesChainId}"`,
  )
}

/** Throws cli/1 for what an offline command does not say, and cli/19 for an account that is not there, and cli/7. */
export const findSignerData = async (client: CometClient, address: Address, flags: TxFlags): Promise<SignerData> => {
  const { isOffline, chainId, accountNumber, sequence } = flags
  if (chainId !== undefined && accountNumber !== undefined && sequence !== undefined) {
    return { chainId, accountNumber, sequence }
  }
  if (isOffline) {
    throw cliError('usage', 'offline, nobody can be asked: say --chain-id, --account-number and --sequence')
  }
  const account = await askAccount(client, address)
  const nodesChainId = await client.chainId()
  requireChain(flags, nodesChainId)
  return {
    chainId: nodesChainId,
    accountNumber: accountNumber ?? account.accountNumber,
    sequence: sequence ?? account.sequence,
  }
}
