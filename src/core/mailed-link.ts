import { ApiError } from './errors.ts'

/** The same answer for every mailed link that does not work: a link tells nothing about accounts. */
export const invalidLink = (): ApiError => new ApiError('unauthorized', 'The link is invalid or has expired')
