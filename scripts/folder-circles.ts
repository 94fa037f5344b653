/** Circles among the folders of a layer: the way of a transaction reads from left to right inside a layer, too. */
import { readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { isTest } from './check-imports.ts'
import { listSources } from './list-sources.ts'
import { scanImports } from './scan-imports.ts'

/** A folder directly below the layer, or a file that stands there alone. */
const partOf = (file: string): string => file.split('/').slice(0, 2).join('/')

type Arrows = ReadonlyMap<string, ReadonlyMap<string, string>>

/** The imports from part to part, with a file that has such an import. */
const readArrows = (root: string, layer: string): Arrows => {
  const arrows = new Map<string, Map<string, string>>()
  for (const file of listSources(root)) {
    if (!file.startsWith(`${layer}/`) || isTest(file)) continue
    const source = readFileSync(posix.join(root, file), 'utf8')
    for (const { specifier } of scanImports(source)) {
      // A script that is started as a process or a thread is no import.
      if (specifier?.startsWith('.') !== true || source.includes(`new URL('${specifier}'`)) continue
      const target = posix.join(posix.dirname(file), specifier)
      if (!target.startsWith(`${layer}/`) || partOf(target) === partOf(file)) continue
      const from = arrows.get(partOf(file)) ?? new Map<string, string>()
      arrows.set(partOf(file), from.set(partOf(target), file))
    }
  }
  return arrows
}

const findWay = (arrows: Arrows, from: string, to: string, seen: Set<string>): readonly string[] | undefined => {
  for (const next of arrows.get(from)?.keys() ?? []) {
    if (next === to) return [from, to]
    if (seen.has(next)) continue
    seen.add(next)
    const rest = findWay(arrows, next, to, seen)
    if (rest !== undefined) return [from, ...rest]
  }
  return undefined
}

/** Each as the parts on its way, with a file of the first arrow; empty where all imports go one way. */
export const findCircles = (root: string, layer: string): readonly string[] => {
  const arrows = readArrows(root, layer)
  const circles: string[] = []
  const named = new Set<string>()
  for (const [from, targets] of arrows) {
    const way = findWay(arrows, from, from, new Set())
    if (way === undefined || way.some((part) => named.has(part))) continue
    for (const part of way) named.add(part)
    circles.push(`${way.join(' -> ')} (${targets.get(way[1] ?? '')})`)
  }
  return circles
}
