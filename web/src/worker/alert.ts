/** Turns a push message into a notification; invalid fields are left out. Pure, so that it can be tested. */

const NAME = 'Planes en Pareja'
const HOME = '/dashboard'
const OF_PLANS: readonly unknown[] = ['propuestas', 'respuestas', 'eliminados']

type Said = Partial<Record<'titulo' | 'cuerpo' | 'url' | 'tema' | 'evento', unknown>>

const textOr = (value: unknown, other: string): string =>
  typeof value === 'string' && value !== '' ? value : other

/** A path of the dashboard: a message leads nowhere else. */
export const pathOf = (value: unknown): string =>
  typeof value === 'string' && /^\/dashboard(\?|$)/.test(value) ? value : HOME

export function readAlert(message: unknown) {
  const { titulo, cuerpo, url, tema, evento } = (message ?? {}) as Said
  const title = textOr(titulo, NAME)
  const body = textOr(cuerpo, '')
  return {
    title,
    /** What a visible page announces; empty for plans, which it announces by realtime. */
    said: OF_PLANS.includes(evento) ? '' : [title, body].filter(Boolean).join(' · '),
    options: {
      body,
      // A later message about the same plan replaces the earlier one.
      tag: textOr(tema, 'planes'),
      icon: '/icon-192.png',
      lang: 'es',
      data: pathOf(url),
    },
  }
}
