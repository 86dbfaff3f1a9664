const INTEGER = /^[+-]?\d+$/
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i

/** The number of a schema's type that a text stands for, or the value as it is. */
export const toNumber = (value: unknown, type: 'integer' | 'number'): unknown =>
  typeof value === 'string' && (type === 'integer' ? INTEGER : NUMBER).test(value.trim())
    ? Number(value)
    : value
