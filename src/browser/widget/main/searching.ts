import { readRefusal } from '../loader/client.ts'
import type { Answer } from '../shapes.ts'
import { createAnswers } from './answers.ts'
import { countDown } from './count-down.ts'
import { findProblem, search } from './search.ts'
import type { Parts } from './state.ts'

/** Before that, grey shapes would only flash. */
const SKELETON_MS = 150
const SLOW_MS = 8_000
const BUSY_SECONDS = 20

/** Sends the query of the state to the service, one search at a time, and shows the outcome. */
export interface Searching {
  /** Searches in place of the search that runs. An upload goes on: the next search of its picture waits for it. */
  run(): void
  /** Ends the search and the upload. */
  stop(): void
  /** Removes the outcome of the last search. */
  clear(): void
  /** Ends everything that would still send or show something, because the shopper has gone. Finished results stay. */
  abandon(): void
  destroy(): void
}

export function createSearching(parts: Parts): Searching {
  const { context, texts, view, outcome, state } = parts
  const showAnswer = createAnswers(parts, run)
  let running: AbortController | undefined
  let uploading: AbortController | undefined
  /** A refused search waits for the network, or for its turn at a busy service. */
  let waitingFor: 'network' | 'turn' | undefined
  let stopTimers = () => {}

  const goOn = () => {
    if (waitingFor === 'network') run()
  }
  addEventListener('online', goOn)

  function stopSearch(): void {
    running?.abort()
    running = undefined
    stopTimers()
    view.out.removeAttribute('aria-busy')
  }

  function stop(): void {
    stopSearch()
    uploading?.abort()
    uploading = undefined
  }

  function clear(): void {
    waitingFor = undefined
    outcome.clear()
  }

  function run(): void {
    stopSearch()
    const controller = new AbortController()
    running = controller
    uploading ??= new AbortController()
    clear()
    view.out.setAttribute('aria-busy', 'true')
    const showing = setTimeout(outcome.showSkeleton, SKELETON_MS)
    const waiting = setTimeout(() => {
      outcome.say(texts.slow)
      offerAgain()
    }, SLOW_MS)
    stopTimers = () => {
      clearTimeout(showing)
      clearTimeout(waiting)
    }
    search(context, state.query, controller.signal, uploading.signal).then(
      (answer) => {
        if (running === controller) succeed(answer)
      },
      (error: unknown) => {
        if (running === controller) fail(error)
      },
    )
  }

  function offerAgain(): void {
    outcome.offer('again', () => {
      stop()
      run()
    })
  }

  function succeed(answer: Answer): void {
    stopSearch()
    clear()
    try {
      showAnswer(answer)
    } catch (error) {
      // The answer is not from the service, or from another version of it.
      fail(error)
    }
  }

  function fail(error: unknown): void {
    stopSearch()
    clear()
    const problem = findProblem(error)
    const refusal = readRefusal(error)
    context.emit('error', { code: refusal?.code || problem })
    if (problem === 'busy') {
      wait(refusal?.retryAfter ?? BUSY_SECONDS)
      return
    }
    outcome.say(texts[problem])
    if (problem === 'offline') waitingFor = 'network'
    if (problem === 'failed' || problem === 'notLoaded') offerAgain()
    if (problem === 'unreadable' || problem === 'small' || problem === 'big')
      outcome.offer('choose', view.choose)
  }

  /** Counts the seconds down, then offers another try. */
  function wait(seconds: number): void {
    const text = (left: number) => texts.busy.replace('{n}', String(left))
    // Screen readers hear the first number only.
    outcome.say(text(seconds))
    waitingFor = 'turn'
    stopTimers = countDown(seconds, (left) => {
      outcome.show(left > 0 ? text(left) : '')
      if (left > 0) return
      waitingFor = undefined
      offerAgain()
    })
  }

  return {
    run,
    stop,
    clear,
    abandon() {
      if (running || waitingFor) clear()
      stop()
    },
    destroy: () => removeEventListener('online', goOn),
  }
}
