import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import { activitiesKey, readAgain } from './use-activities.ts'

test('a change heard while the first list is on its way is in the list', async () => {
  const cache = new QueryClient()
  const server = ['Cena']
  let answer = () => {}
  const asked = new Promise<void>((done) => {
    answer = done
  })
  const queryFn = async () => {
    const found = [...server]
    await asked
    return found
  }
  const observer = new QueryObserver(cache, { queryKey: activitiesKey('ana'), queryFn })
  const leave = observer.subscribe(() => undefined)
  server.push('Cine')
  const again = readAgain(cache, 'ana')
  answer()
  await again
  expect(observer.getCurrentResult().data).toEqual(['Cena', 'Cine'])
  leave()
})
