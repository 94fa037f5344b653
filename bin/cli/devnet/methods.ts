/** Names of the methods that developers call most, by their selectors: a devnet's lines show them. */
import { PRECOMPILES } from '../../../app/precompiles/index.ts'
import { utf8ToBytes } from '../../../core/bytes.ts'
import { keccak256 } from '../../../core/hash.ts'
import { bytesToHex, type Hex } from '../../../core/hex.ts'

const SIGNATURES = [
  // ERC-20, ERC-721, ERC-1155, WETH.
  'transfer(address,uint256)',
  'approve(address,uint256)',
  'transferFrom(address,address,uint256)',
  'mint(address,uint256)',
  'mint(uint256)',
  'mint()',
  'burn(uint256)',
  'burn(address,uint256)',
  'permit(address,address,uint256,uint256,uint8,bytes32,bytes32)',
  'safeTransferFrom(address,address,uint256)',
  'safeTransferFrom(address,address,uint256,bytes)',
  'safeTransferFrom(address,address,uint256,uint256,bytes)',
  'setApprovalForAll(address,bool)',
  'deposit()',
  'withdraw(uint256)',
  // Ownable, proxies, and what examples begin with.
  'transferOwnership(address)',
  'renounceOwnership()',
  'upgradeToAndCall(address,bytes)',
  'initialize()',
  'increment()',
  'setNumber(uint256)',
  // Multicall3, Permit2, CreateX, EntryPoint, Safe, routers of Uniswap.
  'multicall(bytes[])',
  'aggregate((address,bytes)[])',
  'aggregate3((address,bool,bytes)[])',
  'aggregate3Value((address,bool,uint256,bytes)[])',
  'tryAggregate(bool,(address,bytes)[])',
  'approve(address,address,uint160,uint48)',
  'deployCreate(bytes)',
  'deployCreate2(bytes32,bytes)',
  'deployCreate3(bytes32,bytes)',
  'handleOps((address,uint256,bytes,bytes,bytes32,uint256,bytes32,bytes,bytes)[],address)',
  'depositTo(address)',
  'execTransaction(address,uint256,bytes,uint8,uint256,uint256,uint256,address,address,bytes)',
  'execute(address,uint256,bytes)',
  'execute(bytes,bytes[],uint256)',
  'swapExactTokensForTokens(uint256,uint256,address[],address,uint256)',
  'addLiquidity(address,address,uint256,uint256,uint256,uint256,address,uint256)',
] as const

const selectorOf = (signature: string): Hex => bytesToHex(keccak256(utf8ToBytes(signature)).slice(0, 4))

let names: ReadonlyMap<Hex, string> | undefined

const load = (): ReadonlyMap<Hex, string> =>
  new Map([
    ...PRECOMPILES.flatMap(({ name, methods }) =>
      methods.map(({ json, selector }) => [bytesToHex(selector), `${name}.${json.name}`] as const),
    ),
    ...SIGNATURES.map((signature) => [selectorOf(signature), signature] as const),
  ])

/** The name of the method with these four bytes of input; what nobody knows is shown as it is. */
export const methodName = (selector: Hex): string => {
  names ??= load()
  return names.get(selector) ?? selector
}
