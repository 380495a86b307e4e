-- The rules of 20261128180001, on every text that people write. Blanks around a title are not counted.

alter table public.profiles
  drop constraint profiles_nombre_check,
  add constraint profiles_nombre_check check (
    char_length(planes.recortado(nombre)) >= 1 and char_length(nombre) <= 60
    and nombre = planes.legible(nombre) and planes.se_ve(nombre)
  );

alter table public.actividades
  drop constraint actividades_titulo_check,
  add constraint actividades_titulo_check check (
    char_length(planes.recortado(titulo)) between 1 and 120 and char_length(titulo) <= 500
    and planes.recortado(titulo) = planes.legible(planes.recortado(titulo)) and planes.se_ve(titulo)
  ),
  drop constraint actividades_descripcion_check,
  add constraint actividades_descripcion_check check (
    char_length(descripcion) <= 2000 and descripcion = planes.legible(descripcion, true)
  ),
  drop constraint actividades_lugar_check,
  add constraint actividades_lugar_check check (
    char_length(planes.recortado(lugar)) between 1 and 120 and char_length(lugar) <= 500
    and lugar = planes.legible(lugar) and planes.se_ve(lugar)
  );

alter table public.comentarios
  drop constraint comentarios_texto_check,
  add constraint comentarios_texto_check check (
    char_length(planes.recortado(texto)) between 1 and 1000 and char_length(texto) <= 2000
    and texto = planes.legible(texto, true) and planes.se_ve(texto)
  );

alter table public.ideas
  drop constraint ideas_titulo_check,
  add constraint ideas_titulo_check check (
    char_length(planes.recortado(titulo)) between 1 and 120 and char_length(titulo) <= 500
    and titulo = planes.legible(titulo) and planes.se_ve(titulo)
  ),
  drop constraint ideas_nota_check,
  add constraint ideas_nota_check check (
    char_length(nota) <= 500 and nota = planes.legible(nota, true)
  );

alter table public.fechas_especiales
  drop constraint fechas_especiales_titulo_check,
  add constraint fechas_especiales_titulo_check check (
    char_length(planes.recortado(titulo)) between 1 and 60 and char_length(titulo) <= 240
    and titulo = planes.legible(titulo) and planes.se_ve(titulo)
  );

alter table public.recuerdos
  drop constraint recuerdos_texto_check,
  add constraint recuerdos_texto_check check (
    char_length(planes.recortado(texto)) between 1 and 200 and char_length(texto) <= 800
    and texto = planes.legible(texto) and planes.se_ve(texto)
  );

alter table planes.dispositivos
  drop constraint dispositivos_nombre_check,
  add constraint dispositivos_nombre_check check (
    char_length(planes.recortado(nombre)) between 1 and 60 and char_length(nombre) <= 240
    and nombre = planes.legible(nombre) and planes.se_ve(nombre)
  );

comment on column public.actividades.titulo is
  '1 to 120 characters, blanks around it not counted, no control characters.';
comment on column public.actividades.descripcion is
  'At most 2000 characters, line breaks and no other control characters.';
