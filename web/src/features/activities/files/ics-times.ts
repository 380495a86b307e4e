/** When an event of an iCalendar file is, on this device's clock. */
import { type Fecha, isFecha } from '#lib/dates.ts'
import type { Line } from './ics-lines.ts'

/** A day, or an hour of it. Hours are counted in milliseconds as if they were of UTC. */
export type Moment = { wall: number; timed: boolean }

const DATE = /^(\d{4})(\d{2})(\d{2})$/
const TIME = /^(\d{4})(\d{2})(\d{2})T([01]\d|2[0-3])([0-5]\d)([0-5]\d|60)(Z?)$/
const DURATION =
  /^\+?P(?:(\d{1,3})W|(?:(\d{1,3})D)?(?:T(?:(\d{1,4})H)?(?:(\d{1,5})M)?(?:\d{1,6}S)?)?)$/
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

/** Outlook's names of the zones that are most likely here; any other unknown name is read as this device's. */
const WINDOWS: Readonly<Record<string, string>> = {
  'Romance Standard Time': 'Europe/Madrid',
  'W. Europe Standard Time': 'Europe/Berlin',
  'Central Europe Standard Time': 'Europe/Budapest',
  'Central European Standard Time': 'Europe/Warsaw',
  'GMT Standard Time': 'Europe/London',
  'Greenwich Standard Time': 'Atlantic/Reykjavik',
  'E. Europe Standard Time': 'Europe/Chisinau',
  'FLE Standard Time': 'Europe/Kyiv',
  'Eastern Standard Time': 'America/New_York',
  'Central Standard Time': 'America/Chicago',
  'Mountain Standard Time': 'America/Denver',
  'Pacific Standard Time': 'America/Los_Angeles',
  'Central Standard Time (Mexico)': 'America/Mexico_City',
  'SA Pacific Standard Time': 'America/Bogota',
  'Argentina Standard Time': 'America/Buenos_Aires',
  'Pacific SA Standard Time': 'America/Santiago',
  UTC: 'UTC',
}

/** The wall clock of a zone at an instant. */
type Zone = (instant: number) => number

const zones = new Map<string, Zone | null>()

function zoneOf(name: string | undefined): Zone | null {
  if (!name) return null
  const zone = zones.get(name) ?? zoneNamed(name)
  zones.set(name, zone)
  return zone
}

/** null for a name that nobody knows: its hours are read as this device's. */
function zoneNamed(name: string): Zone | null {
  const known = Object.hasOwn(WINDOWS, name) ? WINDOWS[name] : name.replace(/^\/.*?([A-Z])/, '$1')
  try {
    const format = new Intl.DateTimeFormat('en-CA', {
      timeZone: known,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    })
    return (instant) => {
      const [y, m, d, h, min, s] = format
        .formatToParts(instant)
        .flatMap(({ type, value }) => (type === 'literal' ? [] : Number(value)))
      return Date.UTC(y ?? 0, (m ?? 1) - 1, d, h, min, s)
    }
  } catch {
    return null
  }
}

/** An hour that does not exist (start of summer time) becomes the hour after it. */
function instantOf(wall: number, zone: Zone): number {
  const guess = wall - (zone(wall) - wall)
  return wall - (zone(guess) - guess)
}

const here = (instant: number): number => {
  const date = new Date(instant)
  return instant - date.getTimezoneOffset() * MINUTE_MS
}

/** null for what is no date between the years 1 and 9999. */
export function momentOf({ value, params }: Line): Moment | null {
  const text = value.trim()
  const [, year, month, day, hour, minute, , utc] = TIME.exec(text) ?? DATE.exec(text) ?? []
  const fecha = `${year}-${month}-${day}`
  if (!isFecha(fecha)) return null
  const midnight = Date.parse(fecha)
  if (hour === undefined) return { wall: midnight, timed: false }
  const wall = midnight + (Number(hour) * 60 + Number(minute)) * MINUTE_MS
  const zone = utc ? (instant: number) => instant : zoneOf(params.get('TZID'))
  const shown = zone ? here(instantOf(wall, zone)) : wall
  return isFecha(fechaOf(shown)) ? { wall: shown, timed: true } : null
}

/** How many milliseconds a duration takes; null for what is none. */
export function durationOf({ value }: Line): number | null {
  const found = DURATION.exec(value.trim())
  if (!found) return null
  const [weeks = 0, days = 0, hours = 0, minutes = 0] = found
    .slice(1)
    .map((part) => Number(part ?? 0))
  return (weeks * 7 + days) * DAY_MS + (hours * 60 + minutes) * MINUTE_MS
}

export const fechaOf = (wall: number): Fecha => {
  const date = new Date(wall)
  return Number.isNaN(date.getTime()) ? '' : date.toISOString().slice(0, 10)
}

export const clockAt = (wall: number): string => new Date(wall).toISOString().slice(11, 16)

/** The moment a minute before: an end is the first one that is not part of the event any more. */
export const lastMoment = (wall: number): number => wall - MINUTE_MS
