import { CalendarClock } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { Button } from '#components/button.tsx'
import { DialogActions, DialogBody } from '#components/dialog-layout.tsx'
import { FIRST_FOCUS } from '#components/dialog-marks.ts'
import { Field } from '#components/field.tsx'
import { useServerHas } from '#components/server-version.tsx'
import { useFieldErrors } from '#hooks/use-field-errors.ts'
import { isFecha, longDate } from '#lib/dates.ts'
import { product } from '#lib/messages.ts'
import { activityForm, moreDetails, talk, otherDateForm as text } from '#lib/messages-later.ts'
import { plainText } from '#lib/plain-text.ts'
import type { Actividad } from '../api.ts'
import { MAX_COMMENT } from '../conversation/conversation-api.ts'
import { clock } from '../span.ts'
import { useOtherDate } from '../use-activities.ts'
import styles from './activity-form.module.css'

type OtherDateFormProps = {
  /** The partner's proposal. */
  asked: Actividad
  userId: string
  onClose: () => void
}

/** Another date for the partner's proposal: it is rejected, and the same is proposed for that day. */
export default function OtherDateForm({ asked, userId, onClose }: OtherDateFormProps) {
  const propose = useOtherDate(userId)
  const { errors, report, clear } = useFieldErrors<'fecha'>()
  const [fecha, setFecha] = useState(asked.fecha)
  const detailed = useServerHas('hours')
  const before = asked.hora ? clock(asked.hora) : ''
  const [hora, setHora] = useState(before)
  const talks = useServerHas('conversation')
  const [mensaje, setMensaje] = useState('')

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const changed = isFecha(fecha) && (fecha !== asked.fecha || hora !== before)
    if (
      propose.isPending ||
      !report(event.currentTarget, changed ? {} : { fecha: detailed ? text.sameHour : text.same })
    )
      return
    // After a refusal the message is shown and the form stays.
    const said = plainText(mensaje)
    const other = { fecha, ...(hora ? { hora } : {}), ...(said ? { mensaje: said } : {}) }
    propose.mutate({ actividad: asked, ...other }, { onSuccess: onClose })
  }

  return (
    <form noValidate onSubmit={submit} className={styles.form}>
      <DialogBody>
        <p dir="auto">{asked.titulo}</p>
        <Field
          label={activityForm.fecha}
          error={errors.fecha}
          hint={isFecha(fecha) ? longDate(fecha) : undefined}
        >
          {(control) => (
            <input
              {...control}
              {...FIRST_FOCUS}
              name="fecha"
              type="date"
              required
              max="9999-12-31"
              value={fecha}
              onChange={(event) => {
                setFecha(event.target.value)
                clear('fecha')
              }}
            />
          )}
        </Field>
        {detailed ? (
          <Field label={moreDetails.hora} note={activityForm.optional}>
            {(control) => (
              <input
                {...control}
                name="hora"
                type="time"
                value={hora}
                onChange={(event) => {
                  setHora(event.target.value)
                  clear('fecha')
                }}
              />
            )}
          </Field>
        ) : null}
        {talks ? (
          <Field label={talk.message} note={activityForm.optional}>
            {(control) => (
              <textarea
                {...control}
                name="mensaje"
                rows={2}
                dir="auto"
                maxLength={MAX_COMMENT}
                value={mensaje}
                onChange={(event) => setMensaje(event.target.value)}
              />
            )}
          </Field>
        ) : null}
      </DialogBody>
      <DialogActions>
        <Button onClick={onClose}>{product.cancel}</Button>
        <Button type="submit" variant="primary" busy={propose.isPending} icon={<CalendarClock />}>
          {text.submit}
        </Button>
      </DialogActions>
    </form>
  )
}
