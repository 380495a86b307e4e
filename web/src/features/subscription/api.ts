/** The couple's secret calendar address, which other programs subscribe to. */
import { configuration, supabase } from '#lib/supabase.ts'

/** Makes the address where there is none; both partners get the same. */
export async function calendarAddress(): Promise<URL> {
  const { data, error } = await supabase.rpc('crear_calendario')
  if (error) throw error
  return addressOf(data.secreto)
}

export async function revokeCalendar(): Promise<void> {
  const { error } = await supabase.rpc('revocar_calendario')
  if (error) throw error
}

/** A calendar program sends no headers of ours: the public key travels in the address. */
export function addressOf(secreto: string): URL {
  const address = new URL('/rest/v1/rpc/calendario', configuration.url)
  address.search = String(new URLSearchParams({ secreto, apikey: configuration.key }))
  return address
}

/** The same address with the scheme that phones open in their calendar. */
export const webcalOf = (address: URL): string => address.href.replace(/^https?:/, 'webcal:')
