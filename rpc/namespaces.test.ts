import { expect, it } from 'vitest'
import { selectMethods } from './methods.ts'
import { isNamespace, NAMESPACES } from './namespaces.ts'

it('every method can be served by naming its namespace, and every namespace is known once', () => {
  const all = selectMethods(NAMESPACES)
  expect(all.size).toBeGreaterThan(50)
  expect([...all.keys()].filter((name) => !isNamespace(name.slice(0, name.indexOf('_'))))).toEqual([])
  expect(new Set(NAMESPACES).size).toBe(NAMESPACES.length)
  for (const name of ['admin', '', 'ETH', 'constructor']) expect(isNamespace(name)).toBe(false)
})
