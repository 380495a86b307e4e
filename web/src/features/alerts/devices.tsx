import { useQuery, useQueryClient } from '@tanstack/react-query'
import { BellOff, BellRing, Send, X } from 'lucide-react'
import { useState } from 'react'
import { Button } from '#components/button.tsx'
import { useReadOnly } from '#components/read-only.tsx'
import { useServerHas } from '#components/server-version.tsx'
import { deviceId } from '#lib/device.ts'
import { product } from '#lib/messages.ts'
import { alerts as text } from '#lib/messages-later.ts'
import { notify, serverSentence } from '#lib/notify.ts'
import switchStyles from './alert-switch.module.css'
import { Box, Hour } from './choice-fields.tsx'
import styles from './devices.module.css'
import {
  type Changes,
  changeDevice,
  type Dispositivo,
  listDevices,
  removeDevice,
  tryDevice,
  turnOff,
  turnOn,
} from './push.ts'
import Reminders from './reminders.tsx'

type DevicesProps = { worker: ServiceWorkerRegistration; userId: string }

/** Push alerts of this device: on or off, which and when; and the list of the person's other devices. */
export default function Devices({ worker, userId }: DevicesProps) {
  const cache = useQueryClient()
  const queryKey = ['dispositivos', userId]
  const list = useQuery({ queryKey, queryFn: ({ signal }) => listDevices(signal), retry: 1 })
  const [busy, setBusy] = useState(false)
  const [blocked, setBlocked] = useState(Notification.permission === 'denied')
  const readOnly = useReadOnly()
  const own = list.data?.find(({ id }) => id === deviceId.get())
  const others = list.data?.filter((one) => one !== own) ?? []

  /** One at a time: each depends on the result of the one before. */
  const run = async (action: () => Promise<unknown>) => {
    if (busy || readOnly.title) return
    setBusy(true)
    try {
      await action()
    } catch (error) {
      notify.error(serverSentence(error))
    }
    await cache.invalidateQueries({ queryKey })
    setBusy(false)
  }

  const toggle = () =>
    run(async () => {
      if (own) await turnOff()
      else if (!(await turnOn(worker))) setBlocked(Notification.permission === 'denied')
    })

  if (list.isPending) return <p role="status">{product.loading}</p>
  if (list.isError)
    return (
      <p>
        {product.notLoaded} <Button onClick={() => void list.refetch()}>{product.retry}</Button>
      </p>
    )
  const Icon = own ? BellRing : BellOff
  return (
    <div className={styles.devices}>
      <div className={switchStyles.row}>
        <Button
          variant="quiet"
          role="switch"
          aria-checked={own !== undefined}
          aria-describedby="avisos-detalle"
          aria-disabled={blocked || readOnly['aria-disabled'] || undefined}
          title={readOnly.title}
          icon={<Icon />}
          onClick={() => void toggle()}
        >
          {text.onThisDevice}
          <span className={switchStyles.track} aria-hidden="true" />
        </Button>
        <p id="avisos-detalle" className={switchStyles.detail}>
          {blocked ? text.blocked : text.closedToo}
        </p>
      </div>
      {own ? (
        <Choices
          device={own}
          onChange={(changes) => void run(() => changeDevice(own.id, changes))}
          onTry={() =>
            void run(async () => {
              await tryDevice(own.id)
              notify.success(text.tried)
            })
          }
        />
      ) : null}
      {others.length > 0 ? (
        <Others list={others} onRemove={(id) => void run(() => removeDevice(id))} />
      ) : null}
    </div>
  )
}

type ChoicesProps = {
  device: Dispositivo
  onChange: (changes: Changes) => void
  onTry: () => void
}

const EVENTS = ['propuestas', 'respuestas', 'eliminados', 'comentarios', 'recordatorios'] as const

function Choices({ device, onChange, onTry }: ChoicesProps) {
  const readOnly = useReadOnly()
  const { eventos, ver_titulo, silencio_desde, silencio_hasta } = device
  const quiet = silencio_desde !== null
  const reminds = useServerHas('reminders')
  // With mail they are not only this device's, and are shown apart.
  const byMail = useServerHas('mail')
  const events = EVENTS.filter((event) => event !== 'recordatorios' || reminds)
  const choose = (event: (typeof EVENTS)[number]) =>
    onChange({
      eventos: eventos.includes(event)
        ? eventos.filter((each) => each !== event)
        : [...eventos, event],
    })
  return (
    <>
      <fieldset className={styles.group} disabled={readOnly.title !== undefined}>
        <legend className={styles.legend}>{text.which}</legend>
        {events.map((event) => (
          <Box
            key={event}
            label={text.events[event]}
            checked={eventos.includes(event)}
            onChange={() => choose(event)}
          />
        ))}
      </fieldset>
      {reminds && !byMail && eventos.includes('recordatorios') ? <Reminders /> : null}
      <fieldset className={styles.group} disabled={readOnly.title !== undefined}>
        <legend className={styles.legend}>{text.how}</legend>
        <Box
          label={text.showTitle}
          checked={ver_titulo}
          onChange={() => onChange({ ver_titulo: !ver_titulo })}
        />
        <Box
          label={text.quiet}
          checked={quiet}
          onChange={() =>
            onChange(
              quiet
                ? { silencio_desde: null, silencio_hasta: null }
                : { silencio_desde: '22:30', silencio_hasta: '08:30' },
            )
          }
        />
        {quiet ? (
          <div className={styles.hours}>
            <Hour
              label={text.from}
              value={silencio_desde}
              onChange={(hour) => onChange({ silencio_desde: hour })}
            />
            <Hour
              label={text.until}
              value={silencio_hasta ?? ''}
              onChange={(hour) => onChange({ silencio_hasta: hour })}
            />
          </div>
        ) : null}
      </fieldset>
      <Button {...readOnly} className={styles.try} icon={<Send />} onClick={onTry}>
        {text.try}
      </Button>
    </>
  )
}

type OthersProps = { list: readonly Dispositivo[]; onRemove: (id: string) => void }

function Others({ list, onRemove }: OthersProps) {
  const readOnly = useReadOnly()
  return (
    <section aria-label={text.others}>
      <p className={styles.legend}>{text.others}</p>
      <ul className={styles.list}>
        {list.map(({ id, nombre }) => (
          <li key={id} className={styles.row}>
            <bdi>{nombre}</bdi>
            <Button
              {...readOnly}
              variant="quiet"
              aria-label={`${text.remove}: ${nombre}`}
              icon={<X />}
              onClick={() => onRemove(id)}
            >
              {text.remove}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  )
}
