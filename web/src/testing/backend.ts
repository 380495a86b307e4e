/** A backend of a few rows in memory, under the real client: it answers `fetch`, and its sockets stay open. */

export const BACKEND_URL = 'http://backend.test'

export type Call = { method: string; path: string; query: URLSearchParams; body: unknown }
type Reply = { status?: number; body?: unknown }
type Route = (call: Call) => Reply | undefined

class SilentSocket extends EventTarget {
  static readonly CONNECTING = 0
  readyState = 0
  send(): void {}
  close(): void {}
}

export class Backend {
  static current = new Backend()

  calls: Call[] = []
  private routes: Route[] = []

  static start(): void {
    Backend.current = new Backend()
    globalThis.fetch = (input, init) => Backend.current.answer(new Request(input, init))
    globalThis.WebSocket = SilentSocket as unknown as typeof WebSocket
  }

  /** Routes that are added later are tried first. */
  on(method: string, path: string, reply: (call: Call) => Reply): this {
    this.routes.unshift((call) =>
      call.method === method && call.path === path ? reply(call) : undefined,
    )
    return this
  }

  called(method: string, path: string): Call[] {
    return this.calls.filter((call) => call.method === method && call.path === path)
  }

  private async answer(request: Request): Promise<Response> {
    const url = new URL(request.url)
    const text = await request.text()
    const call: Call = {
      method: request.method,
      path: url.pathname,
      query: url.searchParams,
      body: text ? JSON.parse(text) : null,
    }
    this.calls.push(call)
    for (const route of this.routes) {
      const reply = route(call)
      if (reply) return toResponse(reply)
    }
    return toResponse({
      status: 404,
      body: { message: `no route for ${call.method} ${call.path}` },
    })
  }
}

function toResponse({ status = 200, body }: Reply): Response {
  const headers = { 'content-type': 'application/json' }
  return new Response(body === undefined ? null : JSON.stringify(body), { status, headers })
}

export const ANA = '11111111-1111-4111-8111-111111111111'
export const LUIS = '22222222-2222-4222-8222-222222222222'
export const COUPLE = '33333333-3333-4333-8333-333333333333'

/** The response to a sign-in. */
export function sessionOf(id: string, nombre: string) {
  return {
    access_token: 'e30.e30.e30',
    refresh_token: 'refresh',
    token_type: 'bearer',
    expires_in: 3600,
    expires_at: Math.floor(Date.now() / 1000) + 3600,
    user: {
      id,
      aud: 'authenticated',
      role: 'authenticated',
      email: `${nombre.toLowerCase()}@example.com`,
      app_metadata: {},
      user_metadata: { nombre },
      created_at: '2026-01-01T00:00:00Z',
    },
  }
}
