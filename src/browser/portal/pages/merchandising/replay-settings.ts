import type { ReplayInput } from '#generated/api.ts'

/** Other settings as the form holds them; an empty text is what holds now. */
export interface Tried {
  threshold: string
  category_boost: string
  cutoff: string
  sold_out: string
  second_look: string
  interpret: string
  rules: string
  learn: string
}

export const NOTHING_TRIED: Tried = {
  ...{ threshold: '', category_boost: '', cutoff: '', sold_out: '' },
  ...{ second_look: '', interpret: '', rules: '', learn: '' },
}

export const FLAGS = ['second_look', 'interpret', 'rules', 'learn'] as const

/** The settings that differ from those that hold. */
export function toSettings(tried: Tried): ReplayInput['settings'] {
  const { threshold, category_boost, cutoff, sold_out } = tried
  const flags = FLAGS.flatMap((name) => (tried[name] === '' ? [] : [[name, tried[name] === 'true']]))
  return {
    ...(threshold !== '' && { threshold: Number(threshold) }),
    ...(category_boost !== '' && { category_boost: Number(category_boost) }),
    ...((cutoff === 'auto' || cutoff === 'none') && { cutoff }),
    ...((sold_out === 'last' || sold_out === 'hide' || sold_out === 'keep') && { sold_out }),
    ...Object.fromEntries(flags),
  }
}
