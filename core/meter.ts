/**
 * Figures for operators. Whoever measures declares a figure by its name, and tells or is asked for its values; what becomes of
 * them is the business of whoever supplies the meter. No figure decides anything.
 */

/** A figure: a name of Prometheus (seconds and bytes as units, `_total` behind what only grows), and what it means. */
export interface Figure<Labels extends readonly string[] = readonly []> {
  readonly name: string
  readonly help: string
  /** Names of what tells its series apart. Their number is bounded: beyond it all values are `other`. */
  readonly labels?: Labels
}

export interface Distribution<Labels extends readonly string[] = readonly []> extends Figure<Labels> {
  /** Upper bounds, in rising order. */
  readonly buckets: readonly number[]
}

/** The values of the labels, in the order of their names. */
export type LabelValues<Labels extends readonly string[]> = { readonly [Index in keyof Labels]: string }

export interface Counter<Labels extends readonly string[] = readonly []> {
  add(amount: number, ...values: LabelValues<Labels>): void
}

export interface Histogram<Labels extends readonly string[] = readonly []> {
  observe(value: number, ...values: LabelValues<Labels>): void
}

/** What a figure is when somebody asks. */
export type Reading<Labels extends readonly string[] = readonly []> = readonly [
  value: number,
  ...values: LabelValues<Labels>,
]

export type Read<Labels extends readonly string[]> = () =>
  | readonly Reading<Labels>[]
  | Promise<readonly Reading<Labels>[]>

export interface Meter {
  counter<const Labels extends readonly string[] = readonly []>(figure: Figure<Labels>): Counter<Labels>
  histogram<const Labels extends readonly string[] = readonly []>(figure: Distribution<Labels>): Histogram<Labels>
  /** Declares a figure that goes up and down. */
  gauge<const Labels extends readonly string[] = readonly []>(figure: Figure<Labels>, read: Read<Labels>): void
  /** Declares a figure that somebody else counts up. */
  counted<const Labels extends readonly string[] = readonly []>(figure: Figure<Labels>, read: Read<Labels>): void
}

const nothing = (): void => undefined

/** The meter of a process that nobody asks for figures. */
export const SILENT_METER: Meter = {
  counter: () => ({ add: nothing }),
  histogram: () => ({ observe: nothing }),
  gauge: nothing,
  counted: nothing,
}

/** Bounds of a histogram of times, from half a millisecond to ten seconds. */
export const LATENCY_SECONDS: readonly number[] = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
]
