/** The token of the tests: token.sol, compiled by compile.ts. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Hex, parseAbi } from 'viem'

const artifact = JSON.parse(readFileSync(join(import.meta.dirname, 'token.json'), 'utf8')) as { bytecode: Hex }

export const tokenBytecode: Hex = artifact.bytecode

export const tokenAbi = parseAbi([
  'constructor(uint256 supply)',
  'function name() view returns (string)',
  'function balanceOf(address) view returns (uint256)',
  'function allowance(address, address) view returns (uint256)',
  'function transfer(address to, uint256 value) returns (bool)',
  'function approve(address spender, uint256 value) returns (bool)',
  'function transferFrom(address from, address to, uint256 value) returns (bool)',
  'function divide(uint256 dividend, uint256 divisor) pure returns (uint256)',
  'function self() view returns (address)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event Approval(address indexed owner, address indexed spender, uint256 value)',
  'error InsufficientAllowance(address spender, uint256 allowed, uint256 needed)',
])
