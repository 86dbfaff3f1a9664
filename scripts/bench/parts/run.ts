import type { Bench, Figure } from './bench.ts'
import { readOptions } from './options.ts'
import { printTable } from './statistics.ts'
import { tabulate } from './table.ts'

/** What a script says to the one that started it: a figure as soon as it is known, or why there are no more. */
export type Message = { figure: Figure } | { failure: string }

/** Runs a bench as a script of its own and prints its table; `all.ts` gets the figures as well. */
export async function runAlone(bench: Bench): Promise<void> {
  const options = readOptions(Bun.argv.slice(2), bench.flags)
  const figures: Figure[] = []
  // Exits in order, so that its services end as well; `all.ts` may be gone.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
  process.once('disconnect', () => process.exit(1))
  let failure: unknown
  try {
    await bench.run(options, (figure) => {
      figures.push(figure)
      process.send?.({ figure } satisfies Message)
    })
  } catch (error) {
    failure = error
    console.error(error)
    const message = error instanceof Error ? error.message : String(error)
    process.send?.({ failure: message } satisfies Message)
  }
  console.log(`\n${bench.name}`)
  printTable(
    tabulate(
      [bench],
      figures,
      options.contestants.map(({ name }) => name),
    ),
  )
  // Native threads of the model would keep the process alive.
  process.exit(failure === undefined ? 0 : 1)
}
