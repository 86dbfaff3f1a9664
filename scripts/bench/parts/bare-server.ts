/** What `Bun.serve` alone costs: it answers each path with the bytes and the status that it is given, and reads the JSON of a POST. */
const answers = JSON.parse(process.env['ANSWERS'] ?? '{}') as Record<string, string>
const statuses = JSON.parse(process.env['STATUSES'] ?? '{}') as Record<string, number>

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  async fetch(request) {
    const { url } = request
    const path = url.slice(url.indexOf('/', 8))
    if (request.method === 'POST') await request.json()
    return new Response(answers[path], {
      status: statuses[path] ?? 200,
      headers: { 'content-type': 'application/json' },
    })
  },
})
console.log(`listening on http://127.0.0.1:${server.port}`)
