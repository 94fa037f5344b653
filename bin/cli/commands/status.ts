/** `chain status`: the health rule of the interface. Healthy is catching_up false and equal native and EVM heights. */
import * as z from 'zod'
import { formatHostPort, type HostPort } from '../../../core/host-port.ts'
import type { Home } from '../../node/config/home.ts'
import { errorText } from '../../errors.ts'
import { cometListeners, gatewayListeners, loadNode, type NodeFlags } from '../../node/load-node.ts'
import { fetchApplicationHeight, fetchPeerCount, fetchStatus } from '../../node/runtime/comet-rpc.ts'

const TIMEOUT_MS = 5_000
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
  readonly jsonRpc?: HostPort
  readonly ports: Readonly<Record<string, string>>
}

const blockNumberAnswer = z.object({ result: z.string().regex(/^0x[0-9a-f]+$/) })

const loopback = ({ host, port }: HostPort): HostPort => ({ host: host === '0.0.0.0' ? '127.0.0.1' : host, port })

const fetchBlockNumber = async (jsonRpc: HostPort): Promise<number> => {
  const response = await fetch(`http://${formatHostPort(loopback(jsonRpc))}/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  return Number(blockNumberAnswer.parse(await response.json()).result)
}

const readinessAnswer = z.object({ daemons: z.array(z.unknown()).optional() })

/** Empty where none runs. */
const fetchDaemons = async (jsonRpc: HostPort | undefined): Promise<readonly unknown[]> => {
  if (jsonRpc === undefined) return []
  const url = `http://${formatHostPort(loopback(jsonRpc))}/readyz`
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) })
  return readinessAnswer.parse(await response.json()).daemons ?? []
}

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

/** The status of the node that runs with this home. */
export const statusCommand = async (home: Home, flags: NodeFlags): Promise<NodeStatus> => {
  const configuration = loadNode(home, flags)
  const { comet, settings } = configuration
  const listeners = [...cometListeners(configuration), ...gatewayListeners(configuration)]
  return await readStatus({
    rpc: comet.rpc,
    ...(settings['json-rpc.enable'] ? { jsonRpc: settings['json-rpc.address'] } : {}),
    ports: Object.fromEntries(listeners.map(({ purpose, address }) => [purpose, formatHostPort(address)])),
  })
}
