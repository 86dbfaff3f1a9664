import { findNearest } from './nearest.ts'

/** The names of our fields in other search engines, in small letters without separators. */
const HABITS: Readonly<Record<string, readonly string[]>> = {
  query: ['q', 'text', 'search', 'searchterm', 'searchquery', 'term', 'keywords', 'words', 'prompt'],
  limit: [
    ...['topk', 'k', 'n', 'top', 'size', 'count', 'rows', 'max', 'hitsperpage', 'perpage', 'pagesize'],
    ...['maxresults', 'numresults', 'limithits'],
  ],
  image: ['file', 'photo', 'picture', 'img', 'upload', 'imagefile', 'imagebase64'],
  image_url: ['url', 'imageuri', 'pictureurl', 'photourl', 'imgurl', 'src'],
  product_id: ['id', 'sku', 'objectid', 'documentid'],
  filters: ['filterby', 'where'],
  threshold: ['minscore', 'scorethreshold', 'minsimilarity', 'rankingscorethreshold'],
  fields: ['attributestoretrieve', 'includefields', 'select', 'columns'],
  facets: ['facetby', 'aggregations', 'aggs'],
}

/** Finds the field that an unknown name probably means: what another search engine calls so, or nearly the same letters. */
export function findMeantField(name: string, known: readonly string[]): string | undefined {
  const plain = name.toLowerCase().replace(/[_\-. ]/g, '')
  return known.find((field) => HABITS[field]?.includes(plain)) ?? findNearest(name, known)
}
