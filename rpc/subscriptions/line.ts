/** Announcements that are told one after another: what is first begins at once, and is done at once where it can be. */

export interface Line {
  /** False where too many wait already. `work` handles its failures. */
  add(work: () => Promise<void>): boolean
}

export const createLine = (maxWaiting: number): Line => {
  let last = Promise.resolve()
  let waiting = 0
  return {
    add(work) {
      if (waiting >= maxWaiting) return false
      const started = waiting === 0 ? work() : last.then(work)
      waiting++
      last = started.finally(() => waiting--)
      return true
    },
  }
}
