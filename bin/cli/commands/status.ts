/** `chain status`: the health rule of the interface. Healthy is catching_up false and equal native and EVM heights. */
import * as z from 'zod'
import { readFileSync } from 'node:fs'
import { formatHostPort } from '../../../core/host-port.ts'
import type { Home } from '../../node/config/home.ts'
import { errorText } from '../../errors.ts'
import { cometListeners, gatewayListeners } from '../../node/listeners.ts'
import { loadNode } from '../../node/load-node.ts'
import type { NodeFlags } from '../../node/node-flags.ts'
import type { Settings } from '../../node/config/settings.ts'
import { tlsFilesOf } from '../../node/config/tls-files.ts'
import { askOwnServer, type OwnServer } from '../../node/runtime/own-server.ts'
import { fetchApplicationHeight, fetchPeerCount, fetchStatus } from '../../node/runtime/comet-rpc.ts'

/** The two heights are read one after the other, and a block may fall in between. */
const ATTEMPTS = 3

export interface NodeStatus {
  readonly healthy: boolean
  readonly chainId?: string
  readonly nodeId?: string
  readonly nativeHeight?: number
  readonly evmHeight?: number
  readonly catchingUp?: boolean
  readonly peers?: number
  readonly ports: Readonly<Record<string, string>>
  /** The health of the processes beside the node, as its readiness tells; left out where there are none. */
  readonly daemons?: readonly unknown[]
  /** Why it is not healthy. */
  readonly problem?: string
}

export interface StatusOptions {
  /** Listen address of the consensus RPC. */
  readonly rpc: string
  /** Left out where JSON-RPC is not enabled: the EVM height is then what the application tells CometBFT. */
  readonly jsonRpc?: OwnServer
  readonly ports: Readonly<Record<string, string>>
}

const blockNumberAnswer = z.object({ result: z.string().regex(/^0x[0-9a-f]+$/) })

const fetchBlockNumber = async (jsonRpc: OwnServer): Promise<number> => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] })
  return Number(blockNumberAnswer.parse(JSON.parse(await askOwnServer(jsonRpc, '/', body))).result)
}

const readinessAnswer = z.object({ daemons: z.array(z.unknown()).optional() })

/** Empty where none runs. */
const fetchDaemons = async (jsonRpc: OwnServer | undefined): Promise<readonly unknown[]> =>
  jsonRpc === undefined ? [] : (readinessAnswer.parse(JSON.parse(await askOwnServer(jsonRpc, '/readyz'))).daemons ?? [])

const problemOf = (catchingUp: boolean, nativeHeight: number, evmHeight: number): string | undefined => {
  if (catchingUp) return 'catching up with the network'
  return nativeHeight === evmHeight ? undefined : `heights differ: native ${nativeHeight}, EVM ${evmHeight}`
}

const readOnce = async ({ rpc, jsonRpc, ports }: StatusOptions): Promise<NodeStatus> => {
  try {
    const status = await fetchStatus(rpc)
    const evmHeight = await (jsonRpc === undefined ? fetchApplicationHeight(rpc) : fetchBlockNumber(jsonRpc))
    const { latest_block_height: nativeHeight, catching_up: catchingUp } = status.sync_info
    const daemons = await fetchDaemons(jsonRpc)
    const problem = problemOf(catchingUp, nativeHeight, evmHeight)
    return {
      healthy: problem === undefined,
      chainId: status.node_info.network,
      nodeId: status.node_info.id,
      nativeHeight,
      evmHeight,
      catchingUp,
      peers: await fetchPeerCount(rpc),
      ports,
      ...(daemons.length === 0 ? {} : { daemons }),
      ...(problem === undefined ? {} : { problem }),
    }
  } catch (error) {
    return { healthy: false, ports, problem: errorText(error) }
  }
}

/** Never throws: what cannot be asked is a problem of the node. */
export const readStatus = async (options: StatusOptions): Promise<NodeStatus> => {
  let status = await readOnce(options)
  for (let attempt = 1; attempt < ATTEMPTS && !status.healthy; attempt++) status = await readOnce(options)
  return status
}

/** Returns the server of JSON-RPC; undefined where it is not enabled. */
const jsonRpcOf = (settings: Settings): OwnServer | undefined => {
  if (!settings['json-rpc.enable']) return undefined
  const files = tlsFilesOf(settings)
  return {
    address: settings['json-rpc.address'],
    certificate: files && readFileSync(files.certificatePath, 'utf8'),
  }
}

/** The status of the node that runs with this home. */
export const statusCommand = async (home: Home, flags: NodeFlags): Promise<NodeStatus> => {
  const configuration = loadNode(home, flags)
  const { comet, settings } = configuration
  const listeners = [...cometListeners(configuration), ...gatewayListeners(configuration)]
  const jsonRpc = jsonRpcOf(settings)
  return await readStatus({
    rpc: comet.rpc,
    ...(jsonRpc === undefined ? {} : { jsonRpc }),
    ports: Object.fromEntries(listeners.map(({ purpose, address }) => [purpose, formatHostPort(address)])),
  })
}
