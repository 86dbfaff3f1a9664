const INTEGER = /^[+-]?\d+$/
const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i

/** Reads a text as a number of the schema's type; returns any other value as it is. */
export const toNumber = (value: unknown, type: 'integer' | 'number'): unknown =>
  typeof value === 'string' && (type === 'integer' ? INTEGER : NUMBER).test(value.trim())
    ? Number(value)
    : value
