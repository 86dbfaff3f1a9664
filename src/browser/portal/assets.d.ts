declare module '*.php' {
  const text: string
  export default text
}
