import type { Notice } from '#generated/api.ts'
import { formatNumber } from '../language.ts'
import { describe, type Sentence } from './describe.ts'
import { t } from './texts/texts.ts'

/** Says what a notice is about, in the language of the pages. */
export const describeNotice = (notice: Pick<Notice, 'kind' | 'data' | 'text'>): Sentence =>
  describe(notice, t, formatNumber)
