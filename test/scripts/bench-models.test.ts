import { describe, expect, test } from 'bun:test'
import { type Answer, isLike, isSound, judge, type Sample } from '../../scripts/bench/move/judge.ts'
import { tabulateAnchors } from '../../scripts/bench/quality/anchors.ts'

const list = (ids: string, score = 0.9): Answer => [...ids].map((id, n) => ({ id, score: score - n / 100 }))
const OLD = list('abcdefghij')
const NEW = list('klmnopqrst')

describe('searches of a move', () => {
  const judgeAll = (...answers: (Answer | undefined)[]) => {
    const samples = answers.map(
      (answer, at): Sample => ({ store: 's', query: 0, at, ms: 1, isStarting: false, answer }),
    )
    return judge(samples, new Map([['s', [OLD]]]), new Map([['s', [NEW]]]))
  }

  test('answer from the old model, then from the new one', () => {
    const verdict = judgeAll(OLD, OLD, undefined, NEW)
    expect(verdict).toMatchObject({ answered: 3, unanswered: 1, old: 2, new: 1, backwards: 0, mixed: [] })
    expect(isSound(verdict)).toBe(true)
  })

  test('an answer of both, one of part of the products, and one with the scores of the other are none of either', () => {
    const half = [...OLD.slice(0, 5), ...NEW.slice(0, 5)]
    const foreign = list('abcdefghij', 0.4)
    expect(judgeAll(half, OLD.slice(0, 6), foreign).mixed).toHaveLength(3)
    expect(isSound(judgeAll(OLD, half))).toBe(false)
  })

  test('an empty answer is a fault, and so is one of the old model after one of the new', () => {
    expect(judgeAll(OLD, [])).toMatchObject({ empty: 1 })
    expect(isSound(judgeAll(OLD, []))).toBe(false)
    expect(judgeAll(NEW, OLD)).toMatchObject({ backwards: 1 })
    expect(isSound(judgeAll(NEW, OLD))).toBe(false)
  })

  test('no answer at all proves nothing', () => {
    expect(isSound(judgeAll(undefined))).toBe(false)
  })

  test('rounding to 8 bits makes no other answer', () => {
    const near = [...OLD.slice(0, 9), { id: 'z', score: 0.5 }].map(({ id, score }) => ({
      id,
      score: score + 0.01,
    }))
    expect(isLike(near, OLD)).toBe(true)
  })
})

test('a table says how often each anchor holds with each model', () => {
  const nothing = { same: [], alike: [], kind: [], unrelated: [], words: [], otherWords: [] }
  const one = { name: 'one', anchored: { ...nothing, same: [0.99, 0.98, 0.5, 0.97], unrelated: [0.5, 0.6] } }
  const other = { name: 'other', anchored: { ...nothing, same: [0.2] } }
  expect(tabulateAnchors([one, other])).toEqual([
    ['anchor', 'one: holds, median score', 'other: holds, median score'],
    ['the same picture at half size: ≥ 0.97', '75.0 %, 0.980 (4)', '0.0 %, 0.200 (1)'],
    ['a product of another kind: ≤ 0.5', '50.0 %, 0.600 (2)', ''],
  ])
})
