import type { Base, Module } from '../../module.ts'
import { type PeopleQueries, peopleQueries } from './queries.ts'

/** The people of this install, and the stores that they belong to. */
export const buildPeople = ({ db }: Pick<Base, 'db'>): Module<PeopleQueries> => ({
  service: peopleQueries(db),
})
