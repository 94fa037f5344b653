/** What a reader of the pages writes into their blanks, by the form of the blank. */
import { join } from 'node:path'
import { devnetAccounts } from '../../../bin/cli/keys/devnet-accounts.ts'
import { askJsonRpc, repository } from '../harness.ts'
import type { Lane } from './world.ts'

export const account = (index: number): string => devnetAccounts()[index]?.address ?? ''
export const native = async (lane: Lane, index: number): Promise<string> => {
  const { account: held } = await lane.devnet.rest<{
    account: { base_account?: { address: string }; address?: string }
  }>(`cosmos/auth/v1beta1/accounts/${account(index)}`)
  return held.base_account?.address ?? held.address ?? ''
}

/** The newest transfer of the devnet. */
const someTransaction = async (lane: Lane): Promise<string> => {
  const query = encodeURIComponent(`"message.action='/cosmos.bank.v1beta1.MsgSend'"`)
  const { txs } = await lane.devnet.ask<{ txs: readonly { hash: string }[] }>(
    `tx_search?query=${query}&order_by="desc"&per_page=1`,
  )
  return txs[0]?.hash ?? 'no transfer yet'
}

/** The consensus address of a validator. */
const signingValidator = async (lane: Lane): Promise<string> => {
  const { info } = await lane.devnet.rest<{ info: readonly { address: string }[] }>(
    'cosmos/slashing/v1beta1/signing_infos',
  )
  return info[0]?.address ?? 'no validator'
}

const stateRoot = async (lane: Lane): Promise<string> =>
  (await askJsonRpc<{ stateRoot: string }>(lane.devnet.url, 'eth_getBlockByNumber', '0x5', false)).stateRoot

const newestProposal = async (lane: Lane): Promise<string> => {
  interface Proposals {
    readonly proposals: readonly { readonly id: string }[]
  }
  const { proposals } = await lane.devnet.rest<Proposals>(
    'cosmos/gov/v1/proposals?pagination.reverse=true&pagination.limit=1',
  )
  return proposals[0]?.id ?? 'no proposal'
}

/** What a reader writes in the place of a blank, by its form. The first that fits is taken. */
export const BLANKS: readonly (readonly [
  RegExp,
  (lane: Lane, ...found: readonly string[]) => string | Promise<string>,
])[] = [
  // Places: what lies elsewhere on the machine of an operator lies in the folder of the lane.
  [/(?<=^|[ =])\/(var\/lib|backup|tmp|etc\/systemd)\//g, (lane, path = '') => `${join(lane.folder, path)}/`],
  [/\/opt\/nat-chain(?:-next)?\b/g, () => repository],
  [/<(?:home|dir)>/g, () => '$HOME/.nat-chain'],
  // Nodes: all hosts are this one, and each usual port stands for one that was free.
  [/<consensus RPC>/g, (lane) => lane.devnet.comet],
  [
    /(?:localhost|127\.0\.0\.1|node-1|node-2|<host>|<node of the network>):(\d+)/g,
    (lane, port) => `127.0.0.1:${lane.portOf(Number(port))}`,
  ],
  [/--port (\d+)/g, (lane, port) => `--port ${lane.portOf(Number(port))}`],
  [/<node_id>/g, async (lane) => (await lane.devnet.ask<{ node_info: { id: string } }>('status')).node_info.id],
  [/https:\/\/rpc-a\.example\/key/g, (lane) => lane.devnet.url],
  [/https:\/\/rpc-b\.example/g, (lane) => `http://localhost:${lane.devnet.ports.http}`],
  [/http:\/\/10\.0\.0\.7:\d+/g, (lane) => `http://127.0.0.2:${lane.devnet.ports.http}`],
  // Chains and their blocks.
  [/nat-2517-1|<id>/g, () => 'localnat-1'],
  [/(?<=height=)N\b/g, () => '2'],
  [/--from 100 --to 200/g, () => '--from 4 --to 8'],
  [/--from 7\b/g, () => '--from 1'],
  [/<hash of header 100>/g, async (lane) => (await lane.devnet.header(4)).hash],
  [/height=42/g, () => 'height=6'],
  [/<app_hash of header 43>/g, async (lane) => (await lane.devnet.header(7)).appHash],
  [/<stateRoot of the block>/g, stateRoot],
  [/<name of the plan>/g, () => 'next'],
  // Accounts, validators and tokens.
  [/--lot-size N --factor N\b/g, () => '--lot-size 1000000000000000 --factor 10'],
  [/\bBASE QUOTE\b/g, () => 'anat utusd'],
  [/\bDENOM\b/g, () => 'utusd'],
  [/\bMARKET\b/g, () => '1'],
  [/\bORDER\b/g, () => '0x0a'],
  [/\bSIZE PRICE\b/g, () => '1 1'],
  [/\bUNIX_SECONDS\b/g, () => '4000000000'],
  [/\bSECONDS\b/g, () => '3600'],
  [/(?<=software-upgrade )NAME\b/g, () => 'next'],
  [/\bNAME\b/g, () => 'somebody'],
  [/(?<=--upgrade-height )H\b/g, () => '1000000'],
  [/\bID\b|(?<=gov (?:proposal|votes|vote|tally|deposits) )1\b/g, newestProposal],
  [/natvalcons1\.\.\./g, async (lane) => await signingValidator(lane)],
  [/0xTOKEN/g, async (lane) => await lane.devnet.token()],
  [/0xRECIPIENT|0x\.\.\./g, () => account(1)],
  [/(?<!')nat1\.\.\./g, async (lane) => await native(lane, 1)],
  [/(?<=')nat1\.\.\./g, async (lane) => await native(lane, 1)],
  [/\bFROM TO\b/g, async (lane) => `${await lane.devnet.operator('devnet')} ${await lane.devnet.operator('my name')}`],
  [/\b(?:VALIDATOR|V)\b/g, async (lane) => await lane.devnet.operator('devnet')],
  [/\b(?:ADDRESS|AGENT)\b/g, () => account(4)],
  [/08113399C88AD30FBA9DD5EB750676963705865EBDFB2C98B8BE601A1B5144EC/g, someTransaction],
]
